import {
  CLUSTER_PERMISSIONS,
  CLUSTER_TABLE,
  type ClusterAction,
  type ClusterCommandType,
  HOST_TABLE,
  type HostCommandType,
} from '@muster/domain';

/** Statuses of a cluster or host in which the call may be accepted. In other statuses it must be refused. */
export interface Gate {
  readonly of: 'cluster' | 'host';
  readonly statuses: readonly string[];
  /** In these statuses, only invalid input may cause a refusal. */
  readonly isStatusAlone: boolean;
}

export interface Ids {
  readonly cluster: string;
  readonly otherCluster: string;
  readonly infraEnv: string;
  readonly host: string;
}

/** One call of the v2 API: its path, its input, and the statuses in which it may be accepted. */
export interface WalkCall {
  readonly name: string;
  readonly method: string;
  readonly path: (ids: Ids, value: number) => string;
  readonly body?: (ids: Ids, value: number) => unknown;
  /** Sent as a form with one file instead of JSON. */
  readonly upload?: (ids: Ids, value: number) => { readonly field: string; readonly text: string };
  readonly gate?: Gate;
  /** Later calls of the walk use the new resource. */
  readonly makes?: 'cluster';
}

export const PULL_SECRET = JSON.stringify({
  auths: { 'cloud.openshift.com': { auth: Buffer.from('walk:walk').toString('base64'), email: 'walk@example.com' } },
});

export const permitted = (action: ClusterAction): Gate => ({
  of: 'cluster',
  statuses: CLUSTER_PERMISSIONS[action].statuses,
  isStatusAlone: true,
});
export const clusterTable = (on: ClusterCommandType): Gate => ({
  of: 'cluster',
  statuses: CLUSTER_TABLE.accepting(on),
  isStatusAlone: false,
});
export const hostTable = (...commands: readonly HostCommandType[]): Gate => ({
  of: 'host',
  statuses: commands.flatMap((command) => HOST_TABLE.accepting(command)),
  isStatusAlone: false,
});

export const pick = <Item>(items: readonly Item[], value: number): Item | undefined => items[value % items.length];
export const cluster = ({ cluster: id }: Ids): string => `/clusters/${id}`;
export const infraEnv = ({ infraEnv: id }: Ids): string => `/infra-envs/${id}`;
export const host = (ids: Ids): string => `/infra-envs/${ids.infraEnv}/hosts/${ids.host}`;
