import { collectionOf } from '@muster/ports';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { IsTimestamp, LastValue, TEXT_MAX_CHARACTERS } from './requests/field.decorators';

/** What a cluster goes through until it is installed, in the order in which most clusters do. */
export const FUNNEL_STEPS = [
  'cluster-created',
  'infra-env-created',
  'image-first-downloaded',
  'image-download-completed',
  'host-discovered',
  'hardware-known',
  'cluster-ready',
  'installation-requested',
  'installation-prepared',
  'installing',
  'host-rebooted',
  'host-joined',
  'bootstrap-pivoted',
  'finalizing',
  'installed',
] as const;
export type FunnelStep = (typeof FUNNEL_STEPS)[number];

/** Which clusters count: those created from `from` on and before `to`. */
export class FunnelQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly from?: string;
  @IsOptional() @IsTimestamp() @LastValue() readonly to?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly platform?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly topology?: string;
}

/** The moment of the past that is asked for; the present without one. */
export class PastQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly at?: string;
}

/** The progress of clusters and hosts, with times. Only the events service's projection `journeys` writes these collections. */
export const JOURNEYS_PROJECTION = 'journeys';

export const JOURNEY_COLLECTIONS = {
  /** Key: cluster id. It stays when the cluster is deleted, so that its history still counts. */
  clusters: collectionOf<ClusterJourney>('cluster_journeys'),
  /** Key: host key `<infraEnvId>.<hostId>`. */
  hosts: collectionOf<HostJourney>('host_journeys'),
  /** Key: infra-env id. */
  infraEnvs: collectionOf<InfraEnvJourney>('infra_env_journeys'),
};

/** Something began: a status, a stage. It lasts until the next mark. */
export interface Mark {
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** One attempt that came to nothing. */
export interface JourneyFailure {
  readonly at: string;
  readonly kind: 'failed' | 'cancelled' | 'preparation-failed';
  /** The last step of the funnel that was reached until then. */
  readonly step: FunnelStep;
  /** The stage of the host that failed first, else of the cluster. */
  readonly stage: string;
  /** Code of what ended it: a host's cause, or the transition; a sentence where preparation failed. */
  readonly reason: string;
}

export type JourneyOutcome = 'open' | 'installed' | 'failed' | 'cancelled';

export interface ClusterJourney {
  readonly id: string;
  /** Empty once the cluster is no longer kept for its owner. */
  readonly user_name: string;
  readonly org_id: string;
  /** Date of creation, `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly openshift_version: string;
  readonly platform: string;
  readonly topology: string;
  /** First time that each step was reached; a step that never was is missing. */
  readonly steps: { readonly [Step in FunnelStep]?: string };
  readonly outcome: JourneyOutcome;
  /** Oldest first, the last `MAX_JOURNEY_MARKS`. */
  readonly statuses: readonly Mark[];
  readonly finalizing_stages: readonly Mark[];
  /** Oldest first, the last `MAX_JOURNEY_FAILURES`. */
  readonly failures: readonly JourneyFailure[];
  /** The host that failed first in this attempt. */
  readonly first_trouble: { readonly stage: string; readonly reason: string } | null;
  readonly deleted: boolean;
  readonly _position: number;
}

/** A position that no fact has. */
export const NOT_YET = -1;

export interface HostJourney {
  readonly id: string;
  /** Empty for a host of the pool. */
  readonly cluster_id: string;
  /** Position of the fact since which it is the bootstrap, or its hardware known; NOT_YET before. */
  readonly bootstrap_from: number;
  readonly inventory_from: number;
  readonly statuses: readonly Mark[];
  readonly stages: readonly Mark[];
  readonly _position: number;
}

export interface InfraEnvJourney {
  readonly id: string;
  readonly cluster_id: string;
}

/** Per list of one document. */
export const MAX_JOURNEY_MARKS = 200;
export const MAX_JOURNEY_FAILURES = 20;
