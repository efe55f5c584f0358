import { MODE_PRIVATE, readTextFile, textFile } from '../config/ignition-file';
import { describeHostFile, finishBootstrap } from './finish-bootstrap';

const PROVISIONING = '/opt/openshift/manifests/baremetal-provisioning-config.yaml';

describe('the bootstrap config of a release', () => {
  it.each([
    ['4.6.60', false],
    ['4.7.0', true],
    ['4.18.3', true],
  ])('of %s contains the configuration of the provisioning network: %s', (openshiftVersion, isKept) => {
    const files = [textFile(PROVISIONING, MODE_PRIVATE, 'kind: Provisioning\n')];
    const config = finishBootstrap(
      { ignition: { version: '3.2.0' }, storage: { files } },
      { openshiftVersion, isSingleNode: false },
    );
    expect(config.storage?.files?.some(({ path }) => path === PROVISIONING)).toBe(isKept);
  });
});

describe('the status of a bare-metal host', () => {
  const host = {
    hostname: 'master-0',
    role: 'master',
    bootMacAddress: '',
    isLegacyBoot: false,
    hardware: undefined,
  } as const;
  const resource = 'kind: BareMetalHost\nmetadata: {name: master-0}\nspec: {}\n';
  const NAME = '99_openshift-cluster-api_hosts-0.yaml';
  const described = (path: string, text = resource) => {
    const file = describeHostFile(textFile(path, MODE_PRIVATE, text), [host]);
    return {
      mode: file.mode,
      text: readTextFile({ ignition: { version: '3.2.0' }, storage: { files: [file] } }, path),
    };
  };

  it('is added to the manifest in the folder of the cluster, which keeps its mode', () => {
    const { mode, text } = described(`/opt/openshift/openshift/${NAME}`);
    expect(text).toContain('externallyProvisioned: true');
    expect(mode).toBe(MODE_PRIVATE);
  });

  it.each([
    ['a file of the same name elsewhere', `/etc/${NAME}`, resource],
    ['a manifest of another name', '/opt/openshift/openshift/99_own-hosts-0.yaml', resource],
    ['the manifest of another host', `/opt/openshift/openshift/${NAME}`, resource.replace('master-0', 'master-9')],
    ['a manifest of another kind', `/opt/openshift/openshift/${NAME}`, resource.replace('BareMetalHost', 'Secret')],
  ])('is not added to %s', (_, path, text) => {
    expect(described(path, text)).toEqual({ mode: MODE_PRIVATE, text });
  });
});
