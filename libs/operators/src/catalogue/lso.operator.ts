import { olmManifests } from '../plugin/olm-objects';
import { operatorPlugin, PLAIN } from '../plugin/operator-plugin';

/** Class of the raw disks; what builds on local storage asks for it by name. */
export const LOCAL_STORAGE_CLASS = 'localblock-sc';
const TIMEOUT_SECONDS = 4_200;
const INSTALLATION = { namespace: 'openshift-local-storage', subscriptionName: 'local-storage-operator' };

export const LSO = operatorPlugin({
  ...PLAIN,
  name: 'lso',
  title: 'Local Storage',
  featureId: 'LSO',
  timeoutSeconds: TIMEOUT_SECONDS,
  decidesControlPlane: true,
  installation: () => INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'lso',
      installation: INSTALLATION,
      package: { name: 'local-storage-operator', source: 'redhat-operators' },
      group: { name: 'local-storage', watches: 'own' },
    }),
  laterManifests: () => [
    {
      apiVersion: 'local.storage.openshift.io/v1alpha1',
      kind: 'LocalVolumeSet',
      metadata: { name: 'local-disks', namespace: INSTALLATION.namespace },
      spec: {
        storageClassName: LOCAL_STORAGE_CLASS,
        volumeMode: 'Block',
        deviceInclusionSpec: { deviceTypes: ['disk'] },
      },
    },
  ],
});
