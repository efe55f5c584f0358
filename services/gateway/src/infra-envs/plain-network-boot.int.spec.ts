import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const INFRA_ENV = `${API}/v2/infra-envs/${INFRA_ENV_ID}`;
const TLS = { HTTPS_KEY_FILE: 'key.pem', HTTPS_CERT_FILE: 'cert.pem' };
const PLAIN = { HTTP_LISTEN_PORT: '8080' };

describe('network boot with HTTP_LISTEN_PORT', () => {
  let gateway: RunningGateway;
  const start = async (environment: Record<string, string>): Promise<void> => {
    gateway = await startRunningGateway(environment);
    await gateway.project(2, [infraEnvDocument()]);
  };
  afterEach(() => gateway.close());

  it.each([
    [{ ...TLS, ...PLAIN }, 'http://127.0.0.1:8080'],
    [{ ...TLS }, 'https://127.0.0.1:8888'],
    [{ ...PLAIN }, 'http://127.0.0.1:8080'],
    [{ ...TLS, ...PLAIN, IMAGE_PORT: '443' }, 'http://127.0.0.1:8080'],
    [{ ...TLS, ...PLAIN, IMAGE_SERVICE_BASE_URL: 'https://images.example.com:8888' }, 'http://images.example.com:8080'],
    [{ ...TLS, ...PLAIN, IMAGE_SERVICE_BASE_URL: 'https://[2001:db8::1]:8888/a' }, 'http://[2001:db8::1]:8080/a'],
    [{ ...PLAIN, IMAGE_SERVICE_BASE_URL: 'https://images.example.com/a' }, 'http://images.example.com/a'],
    [{ ...PLAIN, IMAGE_SERVICE_BASE_URL: 'https://[2001:db8::1]' }, 'http://[2001:db8::1]'],
    [{ ...TLS, IMAGE_SERVICE_BASE_URL: 'https://images.example.com' }, 'https://images.example.com'],
    [{ ...PLAIN, IMAGE_SERVICE_BASE_URL: 'http://images.example.com:8888' }, 'http://images.example.com:8888'],
  ])('names the files in the script for %j at %s', async (environment, images) => {
    await start(environment);
    const { text } = await gateway.call('GET', `${INFRA_ENV}/downloads/files?file_name=ipxe-script`);
    const query = 'arch=x86_64&version=4.18';
    expect(text.split('\n')[1]).toBe(`initrd --name initrd ${images}/images/${INFRA_ENV_ID}/pxe-initrd?${query}`);
    expect(text).toContain(`\nkernel ${images}/boot-artifacts/kernel?${query} `);
    expect(text).toContain(` coreos.live.rootfs_url=${images}/boot-artifacts/rootfs?${query} `);
  });

  it('names images and the files for agents, which support TLS, with https', async () => {
    await start({ ...TLS, ...PLAIN });
    const image = await gateway.call('GET', `${INFRA_ENV}/downloads/image-url`);
    expect(image.text).toContain('"https://127.0.0.1:8888/byid/');
    await gateway.answers(RegistrationService.method.nextSteps, () => ({
      instructions: [{ stepType: 'download-boot-artifacts', args: ['{"host_fs_mount_dir":"/host"}'] }],
    }));
    const { text } = await gateway.call('GET', `${INFRA_ENV}/hosts/${HOST_ID}/instructions`);
    expect(text.match(/https?:\/\/[^/]+/g)).toEqual(Array.from({ length: 3 }, () => 'https://127.0.0.1:8888'));
  });

  it('names the address that a client of HTTP/1.0 reached when it names no host', async () => {
    await start({});
    const { hostname, port, host } = new URL(gateway.url);
    const ask = (line: string): Promise<string> => text(connect(Number(port), hostname).end(`${line}\r\n\r\n`));
    const files = `${INFRA_ENV}/downloads/files`;
    const script = await ask(`GET ${files}?file_name=ipxe-script HTTP/1.0`);
    expect(script).toContain(`\ninitrd --name initrd http://${hostname}:8888/images/`);
    const chain = await ask(`GET ${files}?file_name=ipxe-script&ipxe_script_type=boot-order-control HTTP/1.0`);
    expect(chain).toContain(`http://${host}${files}?`);
  });
});
