import { type EventView, newEventsFrom, type RestClient } from './rest-client';

interface Entry extends EventView {
  readonly position: string;
}

const entry = (position: number, message: string): Entry => ({
  position: String(position),
  name: 'a_name',
  severity: 'info',
  message,
  event_time: '2026-11-02T08:00:00.000Z',
});

/** A log of one cluster, read as the gateway reads it. */
function clientOf(log: () => readonly Entry[]): Pick<RestClient, 'getMusterApi'> {
  const answer = (path: string): unknown => {
    const query = new URLSearchParams(path.split('?')[1]);
    expect(query.get('cluster_id')).toBe('c1');
    const after = query.get('after') ?? '';
    const events = log().filter(({ position }) => after === '' || Number(position) > Number(after));
    return { events, next: events.at(-1)?.position ?? after };
  };
  return { getMusterApi: async <Answer>(path: string) => answer(path) as Answer };
}

describe('the events that the demo prints', () => {
  it('are each read once, also after earlier entries were replaced', async () => {
    let log: readonly Entry[] = [entry(1, 'created'), entry(2, 'a: 10%'), entry(3, 'b: 10%')];
    const newEvents = newEventsFrom(clientOf(() => log));
    const read = async () => (await newEvents('c1')).map(({ message }) => message);
    expect(await read()).toEqual(['created', 'a: 10%', 'b: 10%']);
    expect(await read()).toEqual([]);
    log = [entry(1, 'created'), entry(4, 'a host failed'), entry(5, 'a: 20%'), entry(6, 'b: 20%')];
    expect(await read()).toEqual(['a host failed', 'a: 20%', 'b: 20%']);
  });
});
