import type { ArtifactEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import { type ArtifactCommand, artifactDecider } from './artifact-decider';

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
