import { conditionsOf, KUBE_RESOURCES } from '@muster/host-api';
import type { KubeObject } from '@muster/ports';
import { type Controller, INTERVALS_MS, repeat } from './controller';

const CONDITION = {
  type: 'Approved',
  status: 'True',
  reason: 'NodeCSRApprove',
  message: 'This CSR was approved by the assisted-installer-controller',
};

/**
 * Approves every certificate request that is neither approved nor denied, as assisted-installer-controller does: during the
 * installation the nodes are not known to the cluster yet. Ends with `signal`.
 */
export async function approveCertificates(controller: Controller, signal: AbortSignal): Promise<void> {
  const { cluster } = controller;
  const resource = KUBE_RESOURCES.certificateSigningRequests;
  await repeat(
    controller,
    'Approving certificates',
    INTERVALS_MS.nodes,
    async () => {
      for (const request of (await cluster.list(resource, {}, signal)).filter(isPending)) {
        const conditions = [...conditionsOf(request), CONDITION];
        const approved = { ...request, status: { ...(request['status'] as object | undefined), conditions } };
        await cluster.replace({ resource, name: request.metadata.name }, approved, 'approval', signal);
      }
      return false;
    },
    signal,
  );
}

const isPending = (request: KubeObject): boolean =>
  !conditionsOf(request).some(({ type }) => type === 'Approved' || type === 'Denied');
