import { IgnitionService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, hostDocument, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const DOWNLOADS = `${API}/v2/infra-envs/${INFRA_ENV_ID}/downloads`;
const SCRIPT = `${DOWNLOADS}/files?file_name=ipxe-script`;
const MAC = '02:00:00:aa:bb:01';
const SERVICE = 'https://service.example.com';
const IMAGES = 'http://images.example.com:8888';

describe('network boot', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway({ SERVICE_BASE_URL: `${SERVICE}/`, IMAGE_SERVICE_BASE_URL: IMAGES });
    await gateway.project(2, [infraEnvDocument(kernelArguments('rd.muster=1', 'b="c d"'))]);
  });
  afterEach(() => gateway.close());

  const kernelArguments = (...values: readonly string[]) => ({
    kernel_arguments: JSON.stringify(values.map((value) => ({ operation: 'append', value }))),
  });
  const inventoryDigest = async (macs: readonly string[]): Promise<string> => {
    const inventory = { interfaces: macs.map((mac) => ({ mac_address: mac.toUpperCase() })) };
    return (await gateway.platform.objectStore.put(Buffer.from(JSON.stringify(inventory)), 10_000)).digest;
  };
  const host = async (status: string, stage: string, id = HOST_ID) => {
    const progress = { current_stage: stage };
    const _inventory_digest = await inventoryDigest([MAC]);
    return hostDocument({ id, status, progress, _inventory_digest } as never);
  };

  it('serves a script that starts the live system', async () => {
    const answer = await gateway.call('GET', SCRIPT);
    expect(answer.status).toBe(200);
    const [first, initrd, kernel, last] = answer.text.split('\n');
    expect([first, last]).toEqual(['#!ipxe', 'boot']);
    const query = 'arch=x86_64&version=4.18';
    expect(initrd).toBe(`initrd --name initrd ${IMAGES}/images/${INFRA_ENV_ID}/pxe-initrd?${query}`);
    expect(kernel).toMatch(
      `kernel ${IMAGES}/boot-artifacts/kernel?${query} initrd=initrd coreos.live.rootfs_url=${IMAGES}/boot-artifacts/rootfs?${query} `,
    );
    expect(kernel).toMatch(/ rd\.muster=1 b="c d"$/);
  });

  it('serves a script that requests the script of one MAC address, when the boot order is controlled', async () => {
    const answer = await gateway.call('GET', `${SCRIPT}&ipxe_script_type=boot-order-control`);
    const script = `${SERVICE}${DOWNLOADS}/files?file_name=ipxe-script&ipxe_script_type=boot-order-control`;
    expect(answer.text).toBe(`#!ipxe\nchain ${script}&mac=\${net0/mac}\n`);
  });

  it.each([
    ['installed', 'Done', 404],
    ['installing-in-progress', 'Rebooting', 404],
    ['installing-in-progress', 'Waiting for ignition', 404],
    ['installing-pending-user-action', 'Rebooting', 404],
    ['added-to-existing-cluster', 'Done', 404],
    ['installing-in-progress', 'Writing image to disk', 200],
    ['resetting-pending-user-action', 'Rebooting', 200],
    ['known', '', 200],
  ])('answers the script request of a host that is %s (%s) with %i', async (status, stage, expected) => {
    await gateway.project(3, [await host(status, stage)]);
    for (const type of ['', '&ipxe_script_type=boot-order-control', '&ipxe_script_type=discovery-image-always']) {
      const ask = async (mac: string): Promise<number> =>
        (await gateway.call('GET', `${SCRIPT}${type}&mac=${mac}`)).status;
      // iPXE writes ${net0/mac:hexhyp} with hyphens.
      for (const mac of [MAC, MAC.toUpperCase(), MAC.replaceAll(':', '-')])
        expect([type, mac, await ask(mac)]).toEqual([type, mac, expected]);
      expect([type, await ask('02:00:00:aa:bb:99')]).toEqual([type, 200]);
    }
    expect((await gateway.call('GET', SCRIPT)).status).toBe(200);
  });

  it('reads an inventory once, because every machine asks for a script', async () => {
    const status = async (): Promise<number> => (await gateway.call('GET', `${SCRIPT}&mac=${MAC}`)).status;
    await gateway.project(3, [await host('installed', 'Done')]);
    const parse = jest.spyOn(JSON, 'parse');
    expect([await status(), await status()]).toEqual([404, 404]);
    const read = parse.mock.calls.filter(([text]) => String(text).includes('mac_address'));
    parse.mockRestore();
    expect(read).toHaveLength(1);
    await gateway.project(4, [
      hostDocument({ status: 'installed', _inventory_digest: await inventoryDigest(['02:00:00:aa:bb:02']) }),
    ]);
    expect(await status()).toBe(200);
  });

  it('refuses the script when two hosts report the same MAC address', async () => {
    const other = 'e1b5a0f4-6f0f-4a4b-9c0a-7d1d2c3b4aff';
    const twin = await host('known', '', other);
    await gateway.project(3, [await host('known', ''), { ...twin, key: `${INFRA_ENV_ID}.${other}` }]);
    const answer = await gateway.call('GET', `${SCRIPT}&ipxe_script_type=boot-order-control&mac=${MAC}`);
    expect(answer).toMatchObject({ status: 409, body: { reason: expect.stringContaining('2 hosts') as string } });
  });

  it.each(['a\nimgfree', 'a=$x', 'a="b'])(
    'never adds a hostile kernel argument such as %j to a script',
    async (value) => {
      await gateway.project(3, [infraEnvDocument(kernelArguments(value))]);
      expect(await gateway.call('GET', SCRIPT)).toMatchObject({
        status: 400,
        body: { reason: expect.stringMatching(/refused|cannot be used/) as string },
      });
    },
  );

  it('names the image service at the requested address, unless a setting names another', async () => {
    await gateway.close();
    gateway = await startRunningGateway();
    await gateway.project(2, [infraEnvDocument()]);
    const answer = await gateway.call('GET', SCRIPT);
    expect(answer.text).toContain('kernel http://127.0.0.1:8888/boot-artifacts/');
    expect((await gateway.call('GET', `${SCRIPT}&mac=x`)).status).toBe(400);
  });

  it('signs the URLs of boot files', async () => {
    const presigned = await gateway.call('GET', `${DOWNLOADS}/files-presigned?file_name=discovery.ign`);
    expect(presigned.body).toEqual({
      url: `${SERVICE}${DOWNLOADS}/files?file_name=discovery.ign`,
      expires_at: '0001-01-01T00:00:00.000Z',
    });
    const script = await gateway.call(
      'GET',
      `${DOWNLOADS}/files-presigned?file_name=ipxe-script&ipxe_script_type=boot-order-control`,
    );
    expect((script.body as { url: string }).url).toContain('ipxe_script_type=boot-order-control');
    expect((await gateway.call('GET', `${DOWNLOADS}/files-presigned?file_name=static-network-config`)).status).toBe(
      400,
    );
  });

  it.each(['files', 'files-presigned'])('refuse a type of script for another file: %s', async (route) => {
    const path = `${DOWNLOADS}/${route}?file_name=discovery.ign&ipxe_script_type=boot-order-control`;
    const answer = await gateway.call('GET', path);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('ipxe_script_type');
  });

  it.each(['full', 'minimal', 'disconnected'])(
    'returns the URL of the %s image that the infra-env selects',
    async (form) => {
      await gateway.project(3, [infraEnvDocument({ type: `${form}-iso` } as never)]);
      const answer = await gateway.call('GET', `${DOWNLOADS}/image-url`);
      expect((answer.body as { url: string }).url).toBe(`${IMAGES}/byid/${INFRA_ENV_ID}/4.18/x86_64/${form}.iso`);
    },
  );

  it('serves the network part of a minimal image, and 204 when it is empty', async () => {
    let archive = '';
    await gateway.answers(IgnitionService.method.renderNetworkRamdisk, () => ({ archive }));
    expect(await gateway.call('GET', `${DOWNLOADS}/minimal-initrd`)).toMatchObject({ status: 204, text: '' });
    archive = Buffer.from('archive').toString('base64');
    expect(await gateway.call('GET', `${DOWNLOADS}/minimal-initrd`)).toMatchObject({ status: 200, text: 'archive' });
  });
});
