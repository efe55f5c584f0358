import { collectionOf } from '@muster/ports';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { IsTimestamp, LastValue, RefusesOtherParameters, TEXT_MAX_CHARACTERS } from './requests/field.decorators';

/** The steps from the creation of a cluster to its installation, in their usual order. */
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

/** Filters clusters that were created from `from` on and before `to`. */
@RefusesOtherParameters()
export class FunnelQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly from?: string;
  @IsOptional() @IsTimestamp() @LastValue() readonly to?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly platform?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly topology?: string;
}

/** The past time for which the state is requested. Absent: now. */
@RefusesOtherParameters()
export class PastQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly at?: string;
}

/**
 * The progress of clusters and hosts with times. Only the events service's projection `journeys` writes these
 * collections.
 */
export const JOURNEYS_PROJECTION = 'journeys';

export const JOURNEY_COLLECTIONS = {
  /** Key: cluster id. Kept when the cluster is deleted, so that its history still counts. */
  clusters: collectionOf<ClusterJourney>('cluster_journeys'),
  /** Key: host key `<infraEnvId>.<hostId>`. */
  hosts: collectionOf<HostJourney>('host_journeys'),
  /** Key: infra-env id. */
  infraEnvs: collectionOf<InfraEnvJourney>('infra_env_journeys'),
};

/** The start of a status or a stage. It lasts until the next mark. */
export interface Mark {
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/** One failed attempt. */
export interface JourneyFailure {
  readonly at: string;
  readonly kind: 'failed' | 'cancelled' | 'preparation-failed';
  /** The last step of the funnel that was reached before the failure. */
  readonly step: FunnelStep;
  /** The stage of the host that failed first, else the stage of the cluster. */
  readonly stage: string;
  /** Code of the cause: the cause of a host's failure, or the transition. A sentence when the preparation failed without a failed host, until the retention period ends. */
  readonly reason: string;
}

export type JourneyOutcome = 'open' | 'installed' | 'failed' | 'cancelled';

export interface ClusterJourney {
  readonly id: string;
  /** Empty after the retention period of the cluster. */
  readonly user_name: string;
  readonly org_id: string;
  /** Date of creation, `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly openshift_version: string;
  readonly platform: string;
  readonly topology: string;
  /** First time at which each step was reached. Steps that were not reached are absent. */
  readonly steps: { readonly [Step in FunnelStep]?: string };
  readonly outcome: JourneyOutcome;
  /** Oldest first, the last `MAX_JOURNEY_MARKS`. */
  readonly statuses: readonly Mark[];
  /** Includes earlier attempts. */
  readonly finalizing_stages: readonly Mark[];
  /** The last finalizing stage of this attempt. Empty before the first one. */
  readonly attempt_finalizing_stage: string;
  /** Oldest first, the last `MAX_JOURNEY_FAILURES`. */
  readonly failures: readonly JourneyFailure[];
  /** The host that failed first in this attempt. */
  readonly first_trouble: { readonly stage: string; readonly reason: string } | null;
  readonly deleted: boolean;
  readonly _position: number;
}

/** A position that no event has. */
export const NOT_YET = -1;

export interface HostJourney {
  readonly id: string;
  /** Empty for a host without a cluster. */
  readonly cluster_id: string;
  /** Position of the event since which it is the bootstrap host, or its hardware is known. NOT_YET before. */
  readonly bootstrap_from: number;
  readonly inventory_from: number;
  readonly statuses: readonly Mark[];
  /** Includes earlier attempts, so the same stage may occur twice in a row. */
  readonly stages: readonly Mark[];
  /** The last stage of this attempt before `Failed`. Empty before the first one. */
  readonly attempt_stage: string;
  readonly _position: number;
}

export interface InfraEnvJourney {
  readonly id: string;
  readonly cluster_id: string;
}

/** Maximum number of entries per list of one document. */
export const MAX_JOURNEY_MARKS = 200;
export const MAX_JOURNEY_FAILURES = 20;
