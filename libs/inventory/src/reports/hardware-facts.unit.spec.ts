import { MAX_GPU_FACTS, toHardwareFacts } from './hardware-facts';

describe('Hardware facts', () => {
  it('contain device ids in one notation', () => {
    const { gpus, nics } = toHardwareFacts({
      gpus: [{ vendor_id: '10DE', device_id: '0x1EB8' }, {}],
      interfaces: [{ name: 'ens1', vendor: '0x15b3', product: '0X1017' }],
    });
    expect(gpus).toEqual([
      { vendorId: '10de', deviceId: '1eb8' },
      { vendorId: '', deviceId: '' },
    ]);
    expect(nics).toMatchObject([{ vendorId: '15b3', productId: '1017' }]);
  });

  it('are limited in the number of devices', () => {
    const gpus = Array.from({ length: 15_000 }, () => ({ vendor_id: '10de' }));
    expect(toHardwareFacts({ gpus }).gpus).toHaveLength(MAX_GPU_FACTS);
    expect(toHardwareFacts({ gpus }).gpuCount).toBe(15_000);
  });

  it.each([
    [['vmx', 'sse'], true],
    [['svm'], true],
    [['sse'], false],
    [undefined, false],
  ])('show virtualization for the CPU flags %j', (flags, hasVirtualization) => {
    expect(toHardwareFacts({ cpu: { flags } }).hasVirtualization).toBe(hasVirtualization);
  });

  it('contain the state of secure boot', () => {
    expect(toHardwareFacts({ boot: { secure_boot_state: 'Enabled' } }).secureBootState).toBe('Enabled');
    expect(toHardwareFacts({}).secureBootState).toBe('');
  });
});
