import { readIgnitionConfig } from './areas/ignition-area';
import { readKargs } from './areas/kargs-area';
import { customiseBootIso, readBootIsoLayout } from './boot-iso';
import { bufferByteSource, type ByteSource } from './byte-source';
import { createRamdisk, readInitramfs } from './cpio/ramdisk';
import { openIso } from './iso/iso-image';
import { createMinimalIso, NETWORK_AREA_BYTES, NETWORK_AREA_PATH, ROOTFS_PATH } from './minimal-iso';
import { build, GENERATIONS, sourceOf, withGrubForBios } from './synthetic-coreos.fixture.spec';

const ROOTFS_URL = 'http://images.example.com:8888/boot-artifacts/rootfs?arch=x86_64&version=4.18';
const KARGS = `ignition.firstboot coreos.live.rootfs_url="${ROOTFS_URL}"`;
const GENERATIONS_WITH_MENUS = [
  'igninfo.json and kargs.json with pad and end',
  'whole ignition.img and kargs.json without pad and end',
  'headers only',
] as const;

const minimalOf = async (base: ByteSource) => createMinimalIso(base, await readBootIsoLayout(base), ROOTFS_URL);
const text = async (source: ByteSource, path: string): Promise<string> =>
  Buffer.from(await (await openIso(source)).readFile(path, 1_000_000)).toString();

describe.each(GENERATIONS_WITH_MENUS)('minimal image of an image with %s', (generation) => {
  it('downloads its root file system', async () => {
    const { source, layout } = await minimalOf(sourceOf(generation));
    const image = await openIso(source);
    expect(await image.find(ROOTFS_PATH)).toBeUndefined();
    expect((await image.find(NETWORK_AREA_PATH))?.size).toBe(NETWORK_AREA_BYTES);
    if (!layout.kargs) throw new Error('the image has an area for kernel arguments');
    expect(layout.kargs.defaultKargs).toBe(KARGS);
    expect(await readKargs(source, layout.kargs)).toBe(KARGS);
    const grub = await text(source, 'EFI/redhat/grub.cfg');
    expect(grub).toMatch(/^linux ignition.*rootfs\?arch=x86_64&version=4\.18"\n#+ COREOS_KARG_EMBED_AREA$/m);
    expect(grub).toMatch(new RegExp(`^initrd /images/ignition.img ${NETWORK_AREA_PATH}$`, 'm'));
    expect(await text(source, 'isolinux/isolinux.cfg')).toContain(
      `append initrd=/images/ignition.img,${NETWORK_AREA_PATH} ${KARGS}\n`,
    );
  });

  it('describes its areas in the files that other tools read', async () => {
    const { source, layout } = await minimalOf(sourceOf(generation));
    const found = await readBootIsoLayout(source);
    expect(found.kargs).toEqual(layout.kargs);
    expect(found.volumeId).toBe(layout.volumeId);
    expect(found.ignition).toEqual(layout.ignition);
  });

  it('returns the embedded config, kernel arguments and network files', async () => {
    const { source, layout } = await minimalOf(sourceOf(generation));
    const networkRamdisk = createRamdisk([
      { path: '/etc/assisted/network/host0/eth0.nmconnection', mode: 0o600, content: 'x' },
    ]);
    const config = Buffer.from('{"ignition":{}}');
    const image = await customiseBootIso(source, layout, { config, appendKargs: ['a=1'], networkRamdisk });
    expect(image.size).toBe(source.size);
    expect(Buffer.from((await readIgnitionConfig(image, layout.ignition)) ?? '').toString()).toBe('{"ignition":{}}');
    if (layout.kargs) expect(await readKargs(image, layout.kargs)).toBe(`${KARGS} a=1`);
    const area = await (await openIso(image)).readFile(NETWORK_AREA_PATH, NETWORK_AREA_BYTES);
    expect(readInitramfs(area).at(-1)).toMatchObject({
      name: 'etc/assisted/network/host0/eth0.nmconnection',
      mode: 0o100600,
    });
  });

  it('has equal bytes each time', async () => {
    const [first, second] = [await minimalOf(sourceOf(generation)), await minimalOf(sourceOf(generation))];
    const bytes = async ({ source }: typeof first): Promise<Buffer> => Buffer.from(await source.read(0, source.size));
    expect((await bytes(first)).equals(await bytes(second))).toBe(true);
  });
});

describe('minimal image', () => {
  it('has the edited menu of GRUB for BIOS, which is in another directory than that for UEFI', async () => {
    const source = bufferByteSource(withGrubForBios());
    const minimal = await minimalOf(source);
    const config = Buffer.from('{}');
    const image = await customiseBootIso(minimal.source, minimal.layout, { config, appendKargs: ['a=1'] });
    for (const path of ['EFI/redhat/grub.cfg', 'boot/grub2/grub.cfg']) {
      expect(await text(image, path)).toContain(`linux ${KARGS} a=1\n`);
      expect(await text(image, path)).toContain(`initrd /images/ignition.img ${NETWORK_AREA_PATH}\n`);
    }
  });

  it.each(['ftp://host/x', 'http://h/$x', 'http://h/"x', 'http://h/a b', 'http://h/\n', 'http://h/\\', 'x', ''])(
    'refuses to download from %j',
    async (url) => {
      const base = sourceOf('headers only');
      await expect(createMinimalIso(base, await readBootIsoLayout(base), url)).rejects.toMatchObject({
        code: 'hostile_url',
      });
    },
  );

  it('cannot be created when the arguments are in a boot file', async () => {
    await expect(
      minimalOf(bufferByteSource(GENERATIONS['areas inside one boot file, filled with NUL']())),
    ).rejects.toMatchObject({
      code: 'no_minimal_image',
    });
  });

  it('cannot be created without a root file system or a boot menu', async () => {
    const area = { 'images/ignition.img': new Uint8Array(4096) };
    await expect(minimalOf(bufferByteSource(build(area)))).rejects.toMatchObject({ code: 'no_minimal_image' });
    const menu = { ...area, 'EFI/redhat/grub.cfg': 'linux x\ninitrd y\n' };
    await expect(minimalOf(bufferByteSource(build(menu)))).rejects.toMatchObject({ code: 'file_not_found' });
    const odd = { ...area, 'EFI/redhat/grub.cfg': 'chainloader x\n', 'images/pxeboot/rootfs.img': 'r' };
    await expect(minimalOf(bufferByteSource(build(odd)))).rejects.toMatchObject({ code: 'malformed' });
  });

  it('refuses network files that are too large, with the excess in bytes', async () => {
    const { source, layout } = await minimalOf(sourceOf('headers only'));
    const networkRamdisk = new Uint8Array(NETWORK_AREA_BYTES + 7);
    await expect(customiseBootIso(source, layout, { config: Buffer.from('{}'), networkRamdisk })).rejects.toMatchObject(
      {
        code: 'ramdisk_too_large',
        message: expect.stringContaining('7 bytes too large'),
      },
    );
    const base = sourceOf('headers only');
    const full = customiseBootIso(base, await readBootIsoLayout(base), { config: Buffer.from('{}'), networkRamdisk });
    await expect(full).rejects.toMatchObject({ code: 'no_network_area' });
  });
});
