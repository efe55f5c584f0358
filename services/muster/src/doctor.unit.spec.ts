import { allFindings, findingText, localFindings } from './doctor';
import type { Surroundings } from './probes';

const SOUND: Surroundings = {
  nowMs: Date.UTC(2026, 10, 22),
  addresses: ['192.0.2.7'],
  freeBytes: () => Promise.resolve(100 * 1024 ** 3),
  hasProgram: () => Promise.resolve(true),
  canExecute: () => Promise.resolve(true),
  canWrite: () => Promise.resolve(true),
  failureOf: () => Promise.resolve(undefined),
};
const REAL = {
  SERVICE_BASE_URL: 'http://192.0.2.7:8090',
  IMAGE_SERVICE_BASE_URL: 'http://192.0.2.7:8888',
  MUSTER_SIMULATED_IMAGE: 'false',
  AGENT_DOCKER_IMAGE: 'registry.example.com/agent:1',
  INSTALLER_IMAGE: 'registry.example.com/installer:1',
  CONTROLLER_IMAGE: 'registry.example.com/controller:1',
  OS_IMAGES: JSON.stringify([
    { openshift_version: '4.18', cpu_architecture: 'x86_64', version: '1', url: 'https://images.example.com/live.iso' },
  ]),
};

const OKD_RELEASES = JSON.stringify(
  ['4.16.0-0.okd', '4.16.3'].map((version) => ({
    openshift_version: '4.16',
    cpu_architecture: 'x86_64',
    url: `registry.example.com/release:${version}`,
    version,
  })),
);

/** Requirements with a master of each latency, and a worker of each loss. The first of them are the standard. */
function limits([latency, ...latencies]: readonly number[], [loss, ...losses]: readonly number[]): string {
  const full = { cpu_cores: 4, ram_mib: 1000, disk_size_gb: 100, installation_disk_speed_threshold_ms: 10 };
  const master = { ...full, network_latency_threshold_ms: latency };
  return JSON.stringify([
    { version: 'default', master, worker: { ...full, packet_loss_percentage: loss }, sno: full },
    ...latencies.map((ms) => ({ version: `4.${ms}`, master: { network_latency_threshold_ms: ms } })),
    ...losses.map((percent) => ({ version: `5.${percent}`, worker: { packet_loss_percentage: percent } })),
  ]);
}

describe('the doctor command', () => {
  it('reports nothing for a machine that can install hosts', async () => {
    expect(await allFindings(REAL, SOUND)).toEqual([]);
  });

  it.each<[string, Record<string, string>, Partial<Surroundings>, RegExp]>([
    [
      'a missing address',
      { SERVICE_BASE_URL: '' },
      {},
      /^addresses: .*127\.0\.0\.1.* Set SERVICE_BASE_URL=http:\/\/192\.0\.2\.7:8090\.$/,
    ],
    ['a loopback address', { IMAGE_SERVICE_BASE_URL: 'http://localhost:8888' }, {}, /^addresses: .*loopback.*:8888\.$/],
    [
      'the address 0.0.0.0, which the start prints',
      { SERVICE_BASE_URL: 'http://0.0.0.0:8090' },
      {},
      /^addresses: SERVICE_BASE_URL=http:\/\/0\.0\.0\.0:8090 is not the address of one machine.* Set SERVICE_BASE_URL=http:\/\/192\.0\.2\.7:8090\.$/,
    ],
    [
      'the address :: of images',
      { IMAGE_SERVICE_BASE_URL: 'http://[::]:8888' },
      {},
      /^addresses: IMAGE_SERVICE_BASE_URL=http:\/\/\[::\]:8888 is not the address of one machine/,
    ],
    [
      'an IPv6 address of this machine on which the REST API does not listen',
      { SERVICE_BASE_URL: 'http://[fd00::7]:8090' },
      { addresses: ['192.0.2.7', '[fd00::7]'] },
      /^addresses: SERVICE_BASE_URL=http:\/\/\[fd00::7\]:8090 .* listens on 0\.0\.0\.0, IPv4 only.* Set REST_HOST=::\.$/,
    ],
    [
      'an IPv6 address of this machine on which the image service does not listen',
      { IMAGE_SERVICE_BASE_URL: 'https://[FD00::7]/images' },
      { addresses: ['[fd00::7]'] },
      /^addresses: IMAGE_SERVICE_BASE_URL=.* Set IMAGE_HOST=::\.$/,
    ],
    [
      'a directory for installers that cannot be written',
      { WORK_DIR: '/proc/work' },
      { canWrite: (path: string) => Promise.resolve(path !== '/proc/work') },
      /^toolchain: WORK_DIR=\/proc\/work is not a directory to which the service can write\. Correct the path or its permissions\.$/,
    ],
    [
      'a disabled host validation that does not exist',
      { DISABLED_HOST_VALIDATIONS: 'has-min-memory,has-min-memry' },
      {},
      /^settings: DISABLED_HOST_VALIDATIONS contains has-min-memry, which .*\/validations\.md\.$/,
    ],
    [
      'a disabled cluster validation that does not exist',
      { DISABLED_CLUSTER_VALIDATIONS: 'all,dns-domain-defined' },
      {},
      /^settings: DISABLED_CLUSTER_VALIDATIONS contains all, which .*\/validations\.md\.$/,
    ],
    [
      'a disabled step that does not exist',
      { DISABLED_STEPS: 'verify-vips,verify-vip' },
      {},
      /^settings: DISABLED_STEPS contains verify-vip, which .* verify-vips\.$/,
    ],
    [
      'limits of the network that are not enforced exactly',
      { HW_VALIDATOR_REQUIREMENTS: limits([5, 250, 100, 2_000], [0.5, 1]) },
      {},
      /^settings: HW_VALIDATOR_REQUIREMENTS limits the latency to 5, 250, 2000 ms and the packet loss to 0\.5 %, which .*settings\.md\.$/,
    ],
    [
      'a missing address for the host executable',
      { IMAGE_SERVICE_BASE_URL: '', AGENT_DOCKER_IMAGE: '', MUSTER_HOST_BINARIES: '/binaries' },
      {},
      /^addresses: IMAGE_SERVICE_BASE_URL is not set: hosts download the executable from .*127\.0\.0\.1.*=http:\/\/192\.0\.2\.7:8888\.$/,
    ],
    [
      'a missing address of a REST API with TLS',
      { SERVICE_BASE_URL: '', SERVE_HTTPS: 'true' },
      {},
      /^addresses: .* Set SERVICE_BASE_URL=https:\/\/192\.0\.2\.7:8090\.$/,
    ],
    [
      'a loopback address of images with TLS',
      { IMAGE_SERVICE_BASE_URL: 'https://localhost:8888', HTTPS_KEY_FILE: '/key', HTTPS_CERT_FILE: '/cert' },
      {},
      /^addresses: .* Set IMAGE_SERVICE_BASE_URL=https:\/\/192\.0\.2\.7:8888\.$/,
    ],
    [
      'an http address of a REST API with TLS',
      { SERVE_HTTPS: 'true', HTTPS_KEY_FILE: '/key', HTTPS_CERT_FILE: '/cert', IMAGE_SERVICE_BASE_URL: '' },
      {},
      /^addresses: SERVICE_BASE_URL=http:\/\/192\.0\.2\.7:8090 .* port 8090 with TLS.* Set SERVICE_BASE_URL=https:\/\/192\.0\.2\.7:8090\.$/,
    ],
    [
      'an http address of images with TLS on the default port of http',
      {
        IMAGE_SERVICE_BASE_URL: 'http://[fd00::7]/images',
        IMAGE_PORT: '80',
        HTTPS_KEY_FILE: '/k',
        HTTPS_CERT_FILE: '/c',
      },
      {},
      /^addresses: IMAGE_SERVICE_BASE_URL=.* Set IMAGE_SERVICE_BASE_URL=https:\/\/\[fd00::7\]:80\/images\.$/,
    ],
    [
      'a missing address of a REST API without a fixed port',
      { SERVICE_BASE_URL: '', REST_PORT: '0' },
      {},
      /^addresses: .* Set REST_PORT to a port other than 0, and SERVICE_BASE_URL=http:\/\/192\.0\.2\.7:<port>\.$/,
    ],
    [
      'a loopback address of images without a fixed port',
      { IMAGE_SERVICE_BASE_URL: 'http://localhost:8888', HTTP_LISTEN_PORT: '0' },
      {},
      /^addresses: .* Set IMAGE_PORT or HTTP_LISTEN_PORT to a port .*, and IMAGE_SERVICE_BASE_URL=http:\/\/192\.0\.2\.7:<port>\.$/,
    ],
    [
      'a loopback bus',
      { AGENT_NATS_URL: 'nats://127.0.0.1:4222' },
      {},
      /^addresses: AGENT_NATS_URL=.* Set NATS_HOST.* NATS_PORT/,
    ],
    [
      'a bus for agents on every address',
      { AGENT_NATS_URL: 'nats://0.0.0.0:4222' },
      {},
      /^addresses: AGENT_NATS_URL=nats:\/\/0\.0\.0\.0:4222 is not the address of one machine: .* Set NATS_HOST/,
    ],
    [
      'a bus for agents on every IPv6 address',
      { AGENT_NATS_URL: 'tls://[::]:4222' },
      {},
      /^addresses: AGENT_NATS_URL=tls:\/\/\[::\]:4222 is not the address of one machine: /,
    ],
    [
      'a bus on every address without an address for agents',
      { NATS_HOST: '0.0.0.0', NATS_PORT: '4222' },
      {},
      /^addresses: AGENT_NATS_URL is not set, and NATS_HOST=0\.0\.0\.0 .* and AGENT_NATS_URL with both/,
    ],
    [
      'a full disk',
      {},
      { freeBytes: () => Promise.resolve(1024) },
      /^disk: .*less than MUSTER_DISK_RESERVE.*Free disk space/,
    ],
    ['little space', {}, { freeBytes: () => Promise.resolve(1024 ** 3) }, /^disk: .*1\.0 GiB free/],
    [
      'little space for images',
      { DATA_DIR: '/images' },
      { freeBytes: (path: string) => Promise.resolve(path === '/images' ? 1024 ** 3 : 1024 ** 4) },
      /^disk: \/images has 1\.0 GiB free.*DATA_DIR/,
    ],
    ['a clock in 1970', {}, { nowMs: 0 }, /^clock: .*1970-01-01.* NTP\.$/],
    [
      'a default image',
      { INSTALLER_IMAGE: '' },
      {},
      /^component images: .*INSTALLER_IMAGE, which may not exist.*MUSTER_HOST_BINARIES\.$/,
    ],
    [
      'the builtin toolchain',
      { INSTALL_TOOLCHAIN: 'builtin' },
      {},
      /^toolchain: .*no real machine can be installed\. Unset INSTALL_TOOLCHAIN\.$/,
    ],
    [
      'an installer that cannot run',
      { OPENSHIFT_INSTALL_PATH: '/nowhere/openshift-install' },
      { canExecute: () => Promise.resolve(false) },
      /^toolchain: OPENSHIFT_INSTALL_PATH=\/nowhere\/openshift-install is not a program.*read from each release\.$/,
    ],
    ['a missing bus', {}, { hasProgram: () => Promise.resolve(false) }, /^bus: .*Install the package nats-server/],
    [
      'an unreachable catalogue',
      {},
      { failureOf: () => Promise.resolve('timeout') },
      /^catalogue: .*https:\/\/images\.example\.com in OS_IMAGES .*timeout/,
    ],
    [
      'an unreachable default catalogue',
      { OS_IMAGES: '' },
      { failureOf: () => Promise.resolve('timeout') },
      /^catalogue: .*https:\/\/mirror\.openshift\.com of the default catalogue .*timeout.* set OS_IMAGES/,
    ],
    [
      'an image that is not on this machine',
      { OS_IMAGES: REAL.OS_IMAGES.replace('https://images.example.com', 'file:///images') },
      { failureOf: (url) => Promise.resolve(url === 'file:///images/live.iso' ? 'ENOENT' : undefined) },
      /^catalogue: The image file:\/\/\/images\/live\.iso in OS_IMAGES cannot be read: ENOENT\. Correct OS_IMAGES or IMAGE_DIRECTORY/,
    ],
    [
      'an image whose address is not a URL',
      { OS_IMAGES: REAL.OS_IMAGES.replace('example.com', 'example.com:PORT') },
      { failureOf: (url) => Promise.resolve(url.endsWith(':PORT/live.iso') ? 'The url is not a URL' : undefined) },
      /^catalogue: The url is not a URL\. Correct OS_IMAGES\.$/,
    ],
    [
      'OKD without the image of its packages',
      { RELEASE_IMAGES: OKD_RELEASES },
      {},
      /^catalogue: .*\(4\.16\.0-0\.okd\).* OKD_RPMS_IMAGE is not set.* Set OKD_RPMS_IMAGE/,
    ],
  ])('reports %s with its remedy', async (_, environment, around, text) => {
    const findings = await allFindings({ ...REAL, ...environment }, { ...SOUND, ...around });
    expect(findings.map(findingText)).toEqual([expect.stringMatching(text)]);
  });

  it.each([{ OKD_RPMS_IMAGE: 'registry.example.com/okd-rpms:4.16' }, { ENABLE_OKD_SUPPORT: 'false' }])(
    'accepts OKD releases with %p',
    async (environment) => {
      expect(await localFindings({ ...REAL, RELEASE_IMAGES: OKD_RELEASES, ...environment }, SOUND)).toEqual([]);
    },
  );

  it.each([
    { HTTPS_KEY_FILE: '/key', HTTPS_CERT_FILE: '/cert', IMAGE_SERVICE_BASE_URL: 'http://192.0.2.7:8880' },
    { SERVICE_BASE_URL: 'https://192.0.2.7:8090' },
  ])('accepts an address whose port or TLS is that of another server: %j', async (environment) => {
    expect(await localFindings({ ...REAL, ...environment }, SOUND)).toEqual([]);
  });

  it.each([
    [{ SERVICE_BASE_URL: 'http://[fd00::7]:8090', REST_HOST: '::' }, ['[fd00::7]']],
    [{ SERVICE_BASE_URL: 'http://[fd00::8]:8090' }, ['[fd00::7]']],
  ])('accepts an IPv6 address that is that of a listener or of another machine: %j', async (environment, addresses) => {
    expect(await localFindings({ ...REAL, ...environment }, { ...SOUND, addresses })).toEqual([]);
  });

  it('requires no space for images that are streamed', async () => {
    const little = { ...SOUND, freeBytes: () => Promise.resolve(1024 ** 3) };
    expect(await localFindings({ ...REAL, OS_IMAGES_FETCH: 'stream' }, little)).toEqual([]);
  });

  it('requires no address of the image service when hosts pull the agent', async () => {
    const environment = { ...REAL, IMAGE_SERVICE_BASE_URL: '', MUSTER_HOST_BINARIES: '/binaries' };
    expect(await localFindings(environment, SOUND)).toEqual([]);
  });

  it('does not connect to the default catalogue while it has the simulated image', async () => {
    const failureOf = (): Promise<never> => Promise.reject(new Error('The network was used.'));
    const findings = await allFindings({ ...REAL, OS_IMAGES: '', MUSTER_SIMULATED_IMAGE: '' }, { ...SOUND, failureOf });
    expect(findings.map(findingText)).toEqual([expect.stringMatching(/^catalogue: .*simulated hosts only/)]);
  });

  it('requires no component images when there are host executables', async () => {
    const unset = { AGENT_DOCKER_IMAGE: '', INSTALLER_IMAGE: '', CONTROLLER_IMAGE: '' };
    expect(await localFindings({ ...REAL, ...unset, MUSTER_HOST_BINARIES: '/binaries' }, SOUND)).toEqual([]);
  });

  it('does not use the network for the checks of a start', async () => {
    const failureOf = (): Promise<never> => Promise.reject(new Error('The network was used.'));
    expect(await localFindings(REAL, { ...SOUND, failureOf })).toEqual([]);
  });
});
