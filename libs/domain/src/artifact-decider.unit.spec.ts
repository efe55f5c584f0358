import type { ArtifactEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import {
  type ArtifactCommand,
  ARTIFACTS_PER_EVENT_MAX,
  artifactDecider,
  type ArtifactsState,
} from './artifact-decider';

const clusterId = 'c';
const kubeconfig = { name: 'kubeconfig', sealed: true };
const made = (attempt: number) => ({
  clusterId,
  attempt,
  openshiftClusterId: 'o',
  artifacts: [{ name: 'master.ign', sealed: false }],
  toolchain: 'builtin',
});
const prepared = (attempt: number): ArtifactEvent => ({ type: 'ArtifactsPrepared', data: made(attempt) });
const failed = (attempt: number): ArtifactEvent => ({
  type: 'ArtifactsFailed',
  data: { clusterId, attempt, reason: 'r' },
});
const discarded: ArtifactEvent = { type: 'ArtifactsDiscarded', data: { clusterId } };
const accepted: ArtifactEvent = { type: 'IngressCaAccepted', data: { clusterId, kubeconfig } };

const released = {
  type: 'ReleaseRead',
  data: {
    clusterId,
    attempt: 1,
    releaseImage: 'quay.io/r',
    version: '4.18.3',
    machineConfigOperatorImage: 'quay.io/m',
    mustGatherImage: 'quay.io/g',
    coreosVersion: '',
    startedAt: '2024-01-01T00:00:00.000Z',
    installerWasCached: false,
    extractSeconds: 1.5,
  },
} as const satisfies ArtifactEvent;

const record = (attempt: number): ArtifactCommand => ({ type: 'RecordArtifacts', ...made(attempt) });
const fail = (attempt: number): ArtifactCommand => ({
  type: 'RecordArtifactsFailure',
  clusterId,
  attempt,
  reason: 'r',
});
const discard = (upToAttempt: number): ArtifactCommand => ({ type: 'DiscardArtifacts', clusterId, upToAttempt });
const acceptCa: ArtifactCommand = { type: 'AcceptIngressCa', clusterId, kubeconfig };

const given = (...history: ArtifactEvent[]) => ({
  when: (command: ArtifactCommand) => givenEvents(artifactDecider, history).when(command),
});

describe('artifact decider', () => {
  it('records one result per attempt', () => {
    given()
      .when(record(1))
      .then([prepared(1)]);
    given(prepared(1)).when(record(1)).then([]);
    given(prepared(1)).when(fail(1)).then([]);
    given(failed(1)).when(record(1)).then([]);
    given(prepared(1), discarded).when(record(1)).then([]);
  });

  it('records the progress of a download while the attempt has no result', () => {
    const data = { clusterId, attempt: 1, image: 'quay.io/a', downloadedBytes: 1, totalBytes: 2 };
    given()
      .when({ type: 'RecordReleaseDownload', ...data })
      .then([{ type: 'ReleaseDownloadProgressed', data }]);
    given(failed(1))
      .when({ type: 'RecordReleaseDownload', ...data })
      .then([]);
    const { data: release } = released;
    given({ type: 'ReleaseDownloadProgressed', data })
      .when({ type: 'RecordRelease', ...release })
      .then([released]);
    given(prepared(1))
      .when({ type: 'RecordRelease', ...release })
      .then([]);
  });

  it('records a wait for others while the attempt has no result', () => {
    const data = { clusterId, attempt: 1, minute: 1, ahead: 2 };
    given()
      .when({ type: 'RecordQueue', ...data })
      .then([{ type: 'PreparationQueued', data }]);
    given(prepared(1))
      .when({ type: 'RecordQueue', ...data })
      .then([]);
    given({ type: 'PreparationQueued', data })
      .when(record(1))
      .then([prepared(1)]);
  });

  it('records the next attempt after a failure or a reset', () => {
    given(failed(1))
      .when(record(2))
      .then([prepared(2)]);
    given(prepared(1), discarded)
      .when(fail(2))
      .then([failed(2)]);
  });

  it('shortens the reason of a failure to 8 KiB', () => {
    const reason = 'é'.repeat(8 * 1024);
    given()
      .when({ type: 'RecordArtifactsFailure', clusterId, attempt: 1, reason })
      .then([{ type: 'ArtifactsFailed', data: { clusterId, attempt: 1, reason: 'é'.repeat(4 * 1024) } }]);
  });

  it('discards artifacts up to the given attempt only', () => {
    given(prepared(1)).when(discard(1)).then([discarded]);
    given(prepared(2)).when(discard(1)).then([]);
    given(failed(1)).when(discard(1)).then([]);
    given(prepared(1), discarded).when(discard(1)).then([]);
  });

  it('accepts the first ingress CA and refuses an ingress CA before artifacts exist', () => {
    given(prepared(1)).when(acceptCa).then([accepted]);
    given(prepared(1), accepted).when(acceptCa).then([]);
    given().when(acceptCa).then('not-ready');
    given(failed(1)).when(acceptCa).then('not-ready');
  });

  it('discards the ingress CA of the previous attempt', () => {
    given(prepared(1), accepted, prepared(2)).when(acceptCa).then([accepted]);
  });
});

const APPEND_BYTES_MAX = 256 * 1024;
const HOSTS = 5_000;
const digestOf = (n: number): string => `sha256:${String(n).padStart(64, '0')}`;
const hostArtifact = (n: number, digest = digestOf(n)) => ({
  name: `arbiter-${String(n).padStart(8, '0')}-0000-4000-8000-000000000000.ign`,
  sealed: false,
  body: { digest, bytes: 5_242_880 },
});
const ofHosts = Array.from({ length: HOSTS }, (_, n) => hostArtifact(n));

/** Records the artifacts as the service does, and returns the state after each append. */
function recorded(artifacts: ArtifactsState['artifacts'], before: ArtifactsState = artifactDecider.initialState()) {
  const events: ArtifactEvent[] = [];
  const states: ArtifactsState[] = [];
  for (let state = before; state.attempt < 1;) {
    const decision = artifactDecider.decide({ type: 'RecordArtifacts', ...made(1), artifacts }, state);
    if (decision.kind === 'refused' || decision.events.length !== 1)
      throw new Error('one event per append is expected');
    events.push(...decision.events);
    state = decision.events.reduce(artifactDecider.evolve, state);
    states.push(state);
  }
  return { events, states, last: states.at(-1) };
}

describe('the artifacts of a large cluster', () => {
  const { events, states, last } = recorded(ofHosts);
  const parts = states.slice(0, -1);

  it('are stored in several appends, each within its limit', () => {
    expect(events.map(({ type }) => type)).toEqual([...Array<string>(4).fill('ArtifactsStored'), 'ArtifactsPrepared']);
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(APPEND_BYTES_MAX * 0.9);
    expect(last).toMatchObject({ attempt: 1, outcome: 'prepared', parts: { artifacts: [] } });
    expect(last?.artifacts).toEqual(ofHosts);
  });

  it('do not count before the last of them', () => {
    for (const state of parts) expect(state).toMatchObject({ attempt: 0, outcome: 'none', artifacts: [] });
    const started = parts[1] ?? artifactDecider.initialState();
    expect(artifactDecider.decide(acceptCa, started)).toMatchObject({ kind: 'refused' });
    const after = artifactDecider.evolve(started, failed(1));
    expect(after).toMatchObject({ attempt: 1, outcome: 'failed', artifacts: [], parts: { artifacts: [] } });
  });

  it('leave the artifacts of the attempt before as they are', () => {
    const part = (attempt: number): ArtifactEvent => ({
      type: 'ArtifactsStored',
      data: { clusterId, attempt, kept: 0, artifacts: [hostArtifact(attempt)] },
    });
    const state = [prepared(1), part(2)].reduce(artifactDecider.evolve, artifactDecider.initialState());
    expect(state).toMatchObject({ attempt: 1, outcome: 'prepared', artifacts: made(1).artifacts });
    given(prepared(1), part(2)).when(discard(1)).then([discarded]);
    const next = [discarded, prepared(2)].reduce(artifactDecider.evolve, state);
    expect(next.artifacts).toEqual([hostArtifact(2), ...made(2).artifacts]);
    given(part(1))
      .when(record(2))
      .then([prepared(2)]);
  });

  it.each([1, 2, 3, 4])('are completed after an interruption behind append %i', (count) => {
    const again = recorded(ofHosts, states[count - 1]);
    expect([...events.slice(0, count), ...again.events]).toEqual(events);
  });

  it.each([
    ['an artifact of the first part differs', ofHosts.with(7, hostArtifact(7, digestOf(HOSTS)))],
    ['a host is missing', ofHosts.toSpliced(1_500, 1)],
    ['few hosts remain', ofHosts.slice(0, 3)],
    ['no artifact of the earlier run remains', [hostArtifact(HOSTS)]],
  ])('are those of the last run when %s', (_, artifacts) => {
    const again = recorded(artifacts, states[2]);
    expect(again.last?.artifacts).toEqual(artifacts);
    for (const event of again.events) expect(JSON.stringify(event).length).toBeLessThan(APPEND_BYTES_MAX * 0.9);
  });

  it('of exactly one event have no other', () => {
    expect(recorded(ofHosts.slice(0, ARTIFACTS_PER_EVENT_MAX)).events).toHaveLength(1);
    expect(recorded(ofHosts.slice(0, ARTIFACTS_PER_EVENT_MAX + 1)).events).toHaveLength(2);
  });
});
