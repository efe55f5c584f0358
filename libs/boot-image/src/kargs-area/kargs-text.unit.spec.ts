import fc from 'fast-check';

import { assertKargs, kargRefusal } from './kargs-text';

describe('a kernel argument', () => {
  it.each([
    'quiet',
    'console=ttyS0,115200n8',
    'isolcpus=1,2,10-20,100-2000:2/25',
    'ip=[2001:db8::5]::[2001:db8::1]:64:host:eth0:none',
    'rd.znet=qeth,0.0.0600,0.0.0601,0.0.0602,layer2=1',
    'dyndbg="file drivers/usb/* +p; func x"',
    'a=""',
    'systemd.mask=foo@bar.service',
    'root=/dev/disk/by-id/wwn-0x5000%20~(1)',
  ])('such as %j is accepted', (value) => {
    expect(kargRefusal(value)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['a\nmenuentry', 'line breaks'],
    ['a\r', 'line breaks'],
    ['a\tb', 'line breaks'],
    ['a\0', 'line breaks'],
    ['é', 'outside ASCII'],
    ['a=$root', 'expand'],
    ['a="$root"', 'expand'],
    ['a\\', 'expand'],
    ['a=`x`', 'expand'],
    ["a='b c'", 'double quotes'],
    ['a="b', 'not closed'],
    ['a="b"c"', 'not closed'],
    ['a b', 'space'],
    ['a;reboot', 'act on'],
    ['a}', 'act on'],
    ['a|b', 'act on'],
    ['#a', 'act on'],
    ['x'.repeat(2000), 'longer than 1024'],
  ])('%j is refused: %s', (value, reason) => {
    expect(kargRefusal(value)).toContain(reason);
    expect(() => assertKargs(['fine', value])).toThrow(expect.objectContaining({ code: 'hostile_karg' }));
  });

  it('that is accepted never contains what ends a line, and always closes its quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ' ', '$', '\n', '=', ';', '\u2028', '\0') }), (value) => {
        fc.pre(kargRefusal(value) === undefined);
        expect(value).toMatch(/^(?:[^ \t\n\r"]+|"[^"]*")+$/);
      }),
    );
  });
});
