import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HostDocument, V2Host } from '@muster/assisted-api';
import { HostTexts } from './host-texts';
import { RENDERING_TIME, RenderTurns } from './render-turns';

const documentOf = (id: string): HostDocument => ({ id, infra_env_id: 'i' }) as HostDocument;
const hostOf = (status: string): V2Host => ({ status, checked_in_at: 'then' }) as V2Host;
const joined = (pieces: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(pieces).toString());

describe('texts of hosts', () => {
  it('are rendered once per document, and contain the time of the last poll', async () => {
    const texts = new HostTexts(new RenderTurns());
    const document = documentOf('a');
    let made = 0;
    const ask = (of: HostDocument, variant: string, seen: string, timestamp?: number) =>
      texts.of(of, variant, { checkedInAt: seen, timestamp }, async () => () => hostOf(`made ${++made}`));

    expect(joined(await ask(document, 'v', '1'))).toEqual({ status: 'made 1', checked_in_at: '1' });
    expect(joined(await ask(document, 'v', '2', 7))).toEqual({ status: 'made 1', checked_in_at: '2', timestamp: 7 });
    expect(joined(await ask(document, 'w', '2'))).toEqual({ status: 'made 2', checked_in_at: '2' });
    expect(joined(await ask(documentOf('a'), 'v', '3'))).toEqual({ status: 'made 3', checked_in_at: '3' });
    expect(made).toBe(3);
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
      texts.of(documentOf(id), 'v', { checkedInAt: '1', timestamp: undefined }, async () => {
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
