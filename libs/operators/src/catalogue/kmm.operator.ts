import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';
import { claimNoSecureBoot, TURN_SECURE_BOOT_OFF } from './gpu.operators';

const INSTALLATION = { namespace: 'openshift-kmm', subscriptionName: 'kernel-module-management' };

export const KMM = operatorPlugin({
  ...PLAIN,
  name: 'kmm',
  title: 'Kernel Module Management',
  featureId: 'KMM',
  bundles: () => [{ id: 'openshift-ai', isOptional: true }],
  installation: () => INSTALLATION,
  host: {
    checks: 'Secure boot of the host is disabled.',
    claim: (host) => claimNoSecureBoot(host),
    remedy: TURN_SECURE_BOOT_OFF,
  },
  manifests: () =>
    olmManifests({
      file: 'kmm',
      installation: INSTALLATION,
      package: { name: 'kernel-module-management', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'kernel-module-management', watches: 'all' },
    }),
});
