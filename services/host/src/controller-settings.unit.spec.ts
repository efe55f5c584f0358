import { readControllerSettings } from '@muster/service-controller';
import { controllerManifests, parseInstallFlags } from '@muster/service-installer';

const REQUIRED = ['--role', 'bootstrap', '--cluster-id', 'c', '--host-id', 'h', '--url', 'http://192.0.2.1:8090'];
const PROGRAM = ['--boot-device', '/dev/sda', '--host-binary-path', '/p', '--host-binary-url', 'u'];

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: { readonly key: string } };
}

/** The environment of the Job that an installer with these flags creates. */
function environmentOf(flags: readonly string[]): { readonly [name: string]: string | undefined } {
  const manifests = controllerManifests(parseInstallFlags([...REQUIRED, ...PROGRAM, ...flags], {}));
  const read = <Manifest>(name: string) =>
    JSON.parse(manifests.get(`assisted-installer-controller-${name}.yaml`) ?? '') as Manifest;
  const { data } = read<{ data: { readonly [key: string]: string } }>('cm');
  const { spec } = read<{ spec: { template: { spec: { containers: { env: readonly Variable[] }[] } } } }>('pod');
  const variables = spec.template.spec.containers[0]?.env ?? [];
  return Object.fromEntries(
    variables.map(({ name, value, valueFrom }) => [name, value ?? data[valueFrom?.configMapKeyRef?.key ?? '']]),
  );
}

describe('the settings that the installer gives to the controller', () => {
  it('contain the number of control plane nodes', () => {
    const environment = environmentOf(['--control-plane-count', '5']);
    expect(readControllerSettings(environment, () => undefined).controlPlaneCount).toBe(5);
  });

  it('are valid when the installer does not know this number', () => {
    expect(readControllerSettings(environmentOf([]), () => undefined).controlPlaneCount).toBe(3);
  });

  it('have a number for a container image, which refuses an empty text', () => {
    const environment = environmentOf(['--controller-image', 'quay.io/controller:1']);
    expect(environment['CONTROL_PLANE_COUNT']).toBe('0');
  });
});
