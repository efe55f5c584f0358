import fc from 'fast-check';
import { BootImageError } from './boot-image.error';
import { bufferByteSource } from './byte-source';
import { extendInitrd, ipxeBootScript, ipxeChainScript, s390xAddressAndSize } from './network-boot';

const BOOT = {
  initrdUrl: 'http://h:8888/images/1/pxe-initrd?arch=x86_64&version=4.18',
  kernelUrl: 'http://h:8888/boot-artifacts/kernel?arch=x86_64&version=4.18',
  rootfsUrl: 'http://h:8888/boot-artifacts/rootfs?arch=x86_64&version=4.18',
  appendKargs: ['a=1', 'b="c d"'],
};

describe('network boot script', () => {
  it('starts the live system with its default arguments, then the added ones', () => {
    expect(ipxeBootScript(BOOT)).toBe(`#!ipxe
initrd --name initrd ${BOOT.initrdUrl}
kernel ${BOOT.kernelUrl} initrd=initrd coreos.live.rootfs_url=${BOOT.rootfsUrl} random.trust_cpu=on rd.luks.options=discard ignition.firstboot ignition.platform.id=metal console=tty1 console=ttyS1,115200n8 coreos.inst.persistent-kargs="console=tty1 console=ttyS1,115200n8" a=1 b="c d"
boot
`);
  });

  it.each(['b="c ; reboot"', 'b="c #d"', 'b="c && d"', 'b="c || d"'])(
    'does not contain the argument %s, which iPXE reads as the end of the command',
    (karg) => {
      expect(() => ipxeBootScript({ ...BOOT, appendKargs: ['a=1', karg] })).toThrow(/iPXE would end the command/);
    },
  );

  it('does not contain an argument whose spaces iPXE changes', () => {
    expect(() => ipxeBootScript({ ...BOOT, appendKargs: ['b="c  d"'] })).toThrow(/several spaces/);
  });

  it('contains quoted arguments with these characters beside other characters', () => {
    const karg = 'b="c;d e#f &g &&h"';
    expect(ipxeBootScript({ ...BOOT, appendKargs: [karg] })).toContain(` ${karg}\n`);
  });

  it('requests a script with the MAC address of the machine', () => {
    expect(ipxeChainScript('http://h/s?file_name=ipxe-script')).toBe(
      '#!ipxe\nchain http://h/s?file_name=ipxe-script&mac=${net0/mac}\n',
    );
    expect(ipxeChainScript('http://h/s')).toContain('/s?mac=');
  });

  it('contains no additional line, command or variable from its input', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', '/', '\n', '\r', '$', '{', '}', '"', ' ', '&', '|', ';', '#', '\0', '\u2028'),
    });
    fc.assert(
      fc.property(nasty, nasty, (path, karg) => {
        let script: string;
        try {
          const url = `http://h/${path}`;
          script = ipxeBootScript({ ...BOOT, rootfsUrl: url, initrdUrl: url, kernelUrl: url, appendKargs: [karg] });
        } catch (error) {
          if (error instanceof BootImageError) return;
          throw error;
        }
        expect(script.split(/[\n\r\u2028]/)).toHaveLength(5);
        expect(script).not.toMatch(/\$|\0|\|\||&& /);
      }),
    );
  });
});

describe('ramdisk for network boot', () => {
  it('contains the ramdisk of the image, then each archive at a multiple of 4 bytes', async () => {
    const initrd = bufferByteSource(Buffer.from('initrd'));
    const whole = extendInitrd(initrd, [Buffer.from('abcd'), new Uint8Array(), Buffer.from('xyz')]);
    expect(Buffer.from(await whole.read(0, whole.size)).toString()).toBe('initrd\0\0abcdxyz');
  });

  it('is described for s390x by address and size', () => {
    expect(Buffer.from(s390xAddressAndSize(0x1_2345_6789)).toString('hex')).toBe('00000000020000000000000123456789');
  });
});
