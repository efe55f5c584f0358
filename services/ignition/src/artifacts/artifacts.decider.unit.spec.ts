import type { IgnitionEvent } from '@muster/contracts';
import { givenEvents } from '@muster/testing';
import { type ArtifactsCommand, artifactsDecider } from './artifacts.decider';

const clusterId = 'c';
const kubeconfig = { name: 'kubeconfig', sealed: true };
const made = (attempt: number) => ({
  clusterId,
  attempt,
  openshiftClusterId: 'o',
  artifacts: [{ name: 'master.ign', sealed: false }],
  toolchain: 'builtin',
});
const prepared = (attempt: number): IgnitionEvent => ({ type: 'ArtifactsPrepared', data: made(attempt) });
const failed = (attempt: number): IgnitionEvent => ({
  type: 'ArtifactsFailed',
  data: { clusterId, attempt, reason: 'r' },
});
const discarded: IgnitionEvent = { type: 'ArtifactsDiscarded', data: { clusterId } };
const accepted: IgnitionEvent = { type: 'IngressCaAccepted', data: { clusterId, kubeconfig } };

const record = (attempt: number): ArtifactsCommand => ({ type: 'RecordArtifacts', ...made(attempt) });
const fail = (attempt: number): ArtifactsCommand => ({ type: 'RecordFailure', clusterId, attempt, reason: 'r' });
const discard = (upToAttempt: number): ArtifactsCommand => ({ type: 'Discard', clusterId, upToAttempt });
const acceptCa: ArtifactsCommand = { type: 'AcceptIngressCa', clusterId, kubeconfig };

const given = (...history: IgnitionEvent[]) => ({
  when: (command: ArtifactsCommand) => givenEvents(artifactsDecider, history).when(command),
});

describe('The artifacts of a cluster', () => {
  it('are recorded once per attempt', () => {
    given()
      .when(record(1))
      .then([prepared(1)]);
    given(prepared(1)).when(record(1)).then([]);
    given(prepared(1)).when(fail(1)).then([]);
    given(failed(1)).when(record(1)).then([]);
    given(prepared(1), discarded).when(record(1)).then([]);
  });

  it('of the next attempt follow a failure or a reset', () => {
    given(failed(1))
      .when(record(2))
      .then([prepared(2)]);
    given(prepared(1), discarded)
      .when(fail(2))
      .then([failed(2)]);
  });

  it('are discarded up to an attempt, not beyond it', () => {
    given(prepared(1)).when(discard(1)).then([discarded]);
    given(prepared(2)).when(discard(1)).then([]);
    given(failed(1)).when(discard(1)).then([]);
    given(prepared(1), discarded).when(discard(1)).then([]);
  });

  it('take the first ingress certificate, and none before they exist', () => {
    given(prepared(1)).when(acceptCa).then([accepted]);
    given(prepared(1), accepted).when(acceptCa).then([]);
    given().when(acceptCa).then('not-ready');
    given(failed(1)).when(acceptCa).then('not-ready');
  });

  it('of a new attempt know nothing of the certificate before', () => {
    given(prepared(1), accepted, prepared(2)).when(acceptCa).then([accepted]);
  });
});
