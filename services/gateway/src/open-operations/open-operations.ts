import type { ProblemCode } from '@muster/problems';

/** An operation of the contract that is answered with a reason instead of a result. `tools/docs/open-operations.md` lists the same rows. */
export interface OpenOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly code: Extract<ProblemCode, 'not-supported' | 'invalid-input'>;
  readonly reason: string;
}

const NO_PRESIGNED = (instead: string): Pick<OpenOperation, 'code' | 'reason'> => ({
  code: 'invalid-input',
  reason: `URLs of an object store are not handed out here; download from ${instead} instead.`,
});
const LATER = (reason: string): Pick<OpenOperation, 'code' | 'reason'> => ({ code: 'not-supported', reason });

const CLUSTER = 'v2/clusters/:cluster_id';
const INFRA_ENV = 'v2/infra-envs/:infra_env_id';
const MANIFESTS = LATER('Manifests of a person are not stored yet.');
const BUNDLES = LATER('Operator bundles are not built yet; name the operators one by one.');

export const OPEN_OPERATIONS: readonly OpenOperation[] = [
  { method: 'GET', path: `${CLUSTER}/downloads/credentials-presigned`, ...NO_PRESIGNED('downloads/credentials') },
  { method: 'GET', path: `${CLUSTER}/downloads/files-presigned`, ...NO_PRESIGNED('downloads/files or logs') },
  {
    method: 'GET',
    path: `${CLUSTER}/preflight-requirements`,
    ...LATER('Requirements are not listed by operator yet.'),
  },
  { method: 'GET', path: `${CLUSTER}/manifests`, ...MANIFESTS },
  { method: 'POST', path: `${CLUSTER}/manifests`, ...MANIFESTS },
  { method: 'PATCH', path: `${CLUSTER}/manifests`, ...MANIFESTS },
  { method: 'DELETE', path: `${CLUSTER}/manifests`, ...MANIFESTS },
  { method: 'GET', path: `${CLUSTER}/manifests/files`, ...MANIFESTS },
  {
    method: 'POST',
    path: 'v2/clusters/disconnected',
    ...LATER('Images that install without a service are not made yet.'),
  },
  {
    method: 'GET',
    path: `${INFRA_ENV}/downloads/files-presigned`,
    ...LATER('Scripts for network boot are not made yet.'),
  },
  {
    method: 'GET',
    path: `${INFRA_ENV}/downloads/minimal-initrd`,
    ...LATER('The network part of minimal images is not served on its own yet.'),
  },
  {
    method: 'GET',
    path: 'v2/supported-operators/:operator_name',
    ...LATER('Properties of operators are not listed yet.'),
  },
  { method: 'GET', path: 'v2/operators/bundles', ...BUNDLES },
  { method: 'GET', path: 'v2/operators/bundles/:id', ...BUNDLES },
];
