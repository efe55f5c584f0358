import { SAMPLE_HOST_KEY } from '@muster/testing';
import { inventoryDecider, type ReportedState } from '../reports-decider';
import { apiVipReader, tangReader } from './endpoint.reports';

interface Advertisement {
  readonly payload?: string;
  readonly key?: string;
  readonly signature?: string;
}
const answer = ({ payload = 'keys', key = 'ES512', signature = 'x' }: Advertisement = {}) => ({
  tang_url: 'http://tang.example.com/adv/thumbprint',
  payload,
  signatures: [{ protected: key, signature }],
});

interface Step {
  readonly output: string;
  readonly error: string;
  readonly exitCode: number;
}
const report = (state: ReportedState, ...tang_server_response: readonly object[]) =>
  recorded(state, { output: JSON.stringify({ is_success: true, tang_server_response }), error: '', exitCode: 0 });
const failure = (state: ReportedState, error: string) => recorded(state, { output: '', error, exitCode: 255 });

function recorded(state: ReportedState, step: Step, reader = tangReader) {
  const result = reader.read({ hostKey: SAMPLE_HOST_KEY, generation: 1, ...step }, (text) => text);
  if (result.kind !== 'read') throw new Error(result.violation.reason);
  const decision = inventoryDecider.decide({ type: 'RecordReport', event: result.report.event }, state);
  const events = decision.kind === 'accepted' ? decision.events : [];
  return { count: events.length, state: events.reduce((known, one) => inventoryDecider.evolve(known, one), state) };
}

const reset = (from: string, cause = 'connection reset by peer'): string =>
  `request failed: read tcp 10.0.0.9:${from}->10.0.0.5:80: read: ${cause}`;

describe('report about Tang servers', () => {
  const first = report(inventoryDecider.initialState(), answer());

  // A server signs its keys again for each answer, and each of these signatures differs.
  it('does not change while the servers advertise the same keys', () => {
    expect(first.count).toBe(1);
    expect(report(first.state, answer({ signature: 'y' })).count).toBe(0);
  });

  it.each([
    ['keys', answer({ payload: 'other keys' })],
    ['signing keys', answer({ key: 'ES256' })],
  ])('changes with the %s of a server', (_what, other) => {
    expect(report(first.state, other).count).toBe(1);
  });

  it('changes with the number of servers', () => {
    expect(report(first.state, answer(), answer()).count).toBe(1);
  });

  it('does not change while the servers fail in the same way from other ports', () => {
    const { count, state } = failure(first.state, reset('40112'));
    expect(count).toBe(1);
    expect(failure(state, reset('51998')).count).toBe(0);
    expect(failure(state, reset('51998', 'no route to host')).count).toBe(1);
  });

  it('of an older version, without a fingerprint, is compared by its document', () => {
    const data = { isSuccess: true, body: { digest: 'sha256:1', bytes: 2 }, generation: 1, fingerprint: '' };
    const event = { type: 'TangConnectivityReported', data } as const;
    const state = inventoryDecider.evolve(inventoryDecider.initialState(), event);
    const other = { ...event, data: { ...data, body: { digest: 'sha256:2', bytes: 2 } } };
    expect(inventoryDecider.decide({ type: 'RecordReport', event }, state)).toMatchObject({ events: [] });
    expect(inventoryDecider.decide({ type: 'RecordReport', event: other }, state)).toMatchObject({ events: [other] });
  });
});

describe('report about the API of an installed cluster', () => {
  const failedDownload = (state: ReportedState, download_error: string) =>
    recorded(
      state,
      { output: JSON.stringify({ is_success: false, download_error }), error: '', exitCode: 0 },
      apiVipReader,
    );

  it('does not change while the download fails in the same way from other ports', () => {
    const { count, state } = failedDownload(inventoryDecider.initialState(), reset('40112'));
    expect(count).toBe(1);
    expect(failedDownload(state, reset('51998')).count).toBe(0);
    expect(failedDownload(state, reset('51998', 'no route to host')).count).toBe(1);
  });
});
