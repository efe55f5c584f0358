import { setImmediate as nextTurn } from 'node:timers/promises';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import type { HostDocument, V2Host } from '@muster/assisted-api';
import { endOf, HostTexts, ReportedBodies } from './host-texts';
import { RENDERING_TIME, RenderTurns } from './render-turns';

const documentOf = (id: string): HostDocument => ({ id, infra_env_id: 'i' }) as HostDocument;
const hostOf = (status: string): V2Host => ({ status, checked_in_at: 'then' }) as V2Host;

describe('texts of hosts', () => {
  it('are kept from their second request with a document, and contain the time of the last poll', async () => {
    const texts = new HostTexts(new RenderTurns());
    const document = documentOf('a');
    let made = 0;
    const ask = async (of: HostDocument, variant: string, checkedInAt: string, timestamp?: number) => {
      const text = await texts.of(of, variant, async () => () => hostOf(`made ${++made}`));
      return JSON.parse(`${String(text)}${endOf(checkedInAt, timestamp)}`) as unknown;
    };

    expect(await ask(document, 'v', '1')).toEqual({ status: 'made 1', checked_in_at: '1' });
    expect(await ask(document, 'v', '2', 7)).toEqual({ status: 'made 2', checked_in_at: '2', timestamp: 7 });
    expect(await ask(document, 'v', '3', 8)).toEqual({ status: 'made 2', checked_in_at: '3', timestamp: 8 });
    expect(await ask(document, 'w', '3')).toEqual({ status: 'made 3', checked_in_at: '3' });
    expect(await ask(documentOf('a'), 'v', '4')).toEqual({ status: 'made 4', checked_in_at: '4' });
    expect(made).toBe(4);
  });

  it('are read and rendered in turns of the event loop', async () => {
    let nowMs = 0;
    const texts = new HostTexts(new RenderTurns(() => nowMs));
    const work: string[] = [];
    const worked = (what: string): void => {
      work.push(what);
      nowMs += RENDERING_TIME.minMs;
    };
    const all = ['a', 'b', 'c'].map((id) =>
      texts.of(documentOf(id), 'v', async () => {
        worked(`read ${id}`);
        return () => {
          worked(`rendered ${id}`);
          return hostOf(id);
        };
      }),
    );
    expect(work).toEqual(['read a']);
    await nextTurn();
    expect(work).toEqual(['read a', 'read b']);
    await Promise.all(all);
    expect(work).toHaveLength(6);
  });
});

describe('reported bodies as members of a host', () => {
  it('are rendered once for each name and digest', async () => {
    const store = inMemoryObjectStore();
    const { digest } = await store.put(Buffer.from('{"é":[]}'), 100);
    const bodies = new ReportedBodies(store, new RenderTurns());
    const member = await bodies.member('connectivity', digest);
    expect(String(member)).toBe(',"connectivity":"{\\"é\\":[]}"');
    expect(bodies.member('connectivity', digest)).toBe(member);
    expect(String(await bodies.member('free_addresses', digest))).toBe(',"free_addresses":"{\\"é\\":[]}"');
  });

  it('are empty when the body does not exist any more', async () => {
    const bodies = new ReportedBodies(inMemoryObjectStore(), new RenderTurns());
    expect(String(await bodies.member('connectivity', '0'.repeat(64)))).toBe('');
  });
});
