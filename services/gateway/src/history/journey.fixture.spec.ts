import { type ClusterJourney, type HostJourney, JOURNEY_COLLECTIONS, NOT_YET } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { CLUSTER_ID, HOST_ID, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

export const MADE_AT = '2026-01-02T03:04:00.000Z';

/** ISO 8601 time, in seconds after the creation of the cluster. */
export const after = (seconds: number): string => new Date(Date.parse(MADE_AT) + seconds * 1_000).toISOString();

export function clusterJourney(changes: Partial<ClusterJourney> = {}): ClusterJourney {
  return {
    id: CLUSTER_ID,
    user_name: 'admin',
    org_id: '',
    day: '2026-01-02',
    openshift_version: '4.18.52',
    platform: 'baremetal',
    topology: '3-control-planes',
    steps: { 'cluster-created': MADE_AT },
    outcome: 'open',
    statuses: [{ name: 'insufficient', at: MADE_AT }],
    finalizing_stages: [],
    attempt_finalizing_stage: '',
    failures: [],
    first_trouble: null,
    deleted: false,
    _position: 1,
    ...changes,
  };
}

export const storedCluster = (journey: ClusterJourney) => ({
  collection: JOURNEY_COLLECTIONS.clusters,
  key: journey.id,
  document: journey,
});

export function storedHost(changes: Partial<HostJourney> = {}) {
  const journey: HostJourney = {
    id: HOST_ID,
    cluster_id: CLUSTER_ID,
    bootstrap_from: NOT_YET,
    inventory_from: NOT_YET,
    statuses: [],
    stages: [],
    attempt_stage: '',
    _position: 1,
    ...changes,
  };
  return { collection: JOURNEY_COLLECTIONS.hosts, key: hostKeyOf(INFRA_ENV_ID, HOST_ID), document: journey };
}
