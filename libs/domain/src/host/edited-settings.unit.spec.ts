import type { HostEvent } from '@muster/contracts';
import { command, day1, minute, when } from './host.fixture.spec';

const KNOWN = day1('known');
const revise = (changes: object) => command('ReviseSettings', { changes });
const after = (...changes: readonly object[]): readonly HostEvent[] =>
  changes.reduce<readonly HostEvent[]>((history, one) => [...history, ...when(history, revise(one)).events], KNOWN);
const changesOf = (history: readonly HostEvent[], changes: object) =>
  when(history, revise(changes)).events.map((event) => event.data);

describe('a revision of the settings of a host', () => {
  const document = (digest: string) => ({ ignitionConfigOverrides: { digest, bytes: digest.length } });

  it('contains a document only when its text changes', () => {
    expect(changesOf(KNOWN, document('sha256:a'))).toEqual([{ changes: document('sha256:a') }]);
    const overridden = after(document('sha256:a'));
    expect(changesOf(overridden, document('sha256:a'))).toEqual([]);
    for (const other of [document('sha256:b'), document('')])
      expect(changesOf(overridden, other)).toEqual([{ changes: other }]);
  });

  it.each(['ignitionEndpointTokenSet', 'ignitionEndpointHttpHeadersSet', 'fencingCredentialsSet'])(
    'removes a secret that is set, and not one that is not: %s',
    (flag) => {
      expect(changesOf(KNOWN, { [flag]: false })).toEqual([]);
      expect(changesOf(after({ [flag]: true }), { [flag]: false })).toEqual([{ changes: { [flag]: false } }]);
      expect(changesOf(after({ [flag]: true }, { [flag]: false }), { [flag]: false })).toEqual([]);
    },
  );

  it('contains only the settings that change', () => {
    const [labels, args] = [{ nodeLabels: '{"a":"b"}' }, { installerArgs: '["-n"]' }];
    expect(changesOf(after(labels), { ...labels, ...args })).toEqual([{ changes: args }]);
  });
});

describe('a report of logs', () => {
  const body = { digest: 'sha256:0', bytes: 1 };
  const at = minute(1);

  it('is stored with the logs and its state, which is stored once', () => {
    const both = command('RecordLogs', { logsState: 'completed', body, at });
    const { events } = when(day1('error'), both);
    expect(events).toEqual([
      { type: 'HostLogsCollected', data: { body, at } },
      { type: 'HostLogsReported', data: { logsState: 'completed', at } },
    ]);
    expect(when([...day1('error'), ...events], both).types).toEqual(['HostLogsCollected']);
  });

  it('without a state has only the logs', () =>
    expect(when(day1('error'), command('RecordLogs', { logsState: '', body })).types).toEqual(['HostLogsCollected']));
});
