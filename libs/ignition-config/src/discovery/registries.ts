import type { IgnitionFile } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';
import type { RegistrySettings } from './discovery-input';

export const REGISTRIES_PATH = '/etc/containers/registries.conf';
export const REGISTRY_CA_PATH = '/etc/pki/ca-trust/source/anchors/domain.crt';
const SIGNATURES_PATH = '/etc/containers/policy.json';

/** Takes images whatever signs them: mirrors have the images and not the signatures. */
const ANY_IMAGE = JSON.stringify({
  default: [{ type: 'insecureAcceptAnything' }],
  transports: { 'docker-daemon': { '': [{ type: 'insecureAcceptAnything' }] } },
});

/** Where hosts get images that are named as if they were elsewhere. */
export function registryFiles(registries: RegistrySettings | undefined): readonly IgnitionFile[] {
  if (!registries || registries.registriesConf === '') return [];
  const { registriesConf, caPem, takesUnsigned } = registries;
  return [
    textFile(REGISTRIES_PATH, MODE_READABLE, registriesConf),
    ...(caPem ? [textFile(REGISTRY_CA_PATH, MODE_READABLE, caPem)] : []),
    ...(takesUnsigned ? [textFile(SIGNATURES_PATH, MODE_READABLE, ANY_IMAGE)] : []),
  ];
}
