import { networkFiles } from './network-files';

describe('The files of a network ramdisk', () => {
  it('are none without a proxy', () => {
    expect(networkFiles({})).toEqual([]);
    expect(networkFiles({ proxy: { noProxy: 'example.com' } })).toEqual([]);
  });

  it('lead the download of the root file system through the proxy', () => {
    const [file, ...others] = networkFiles({
      proxy: { httpProxy: 'http://u:p%40ss@proxy.example.com', noProxy: '.lan' },
    });
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      path: '/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf',
      mode: 0o664,
    });
    expect(file?.content).toContain('[Service]\nEnvironment="HTTP_PROXY=http://u:p%%40ss@proxy.example.com"\n');
    expect(file?.content).toContain('Environment="no_proxy=.lan"\n');
  });

  it('have no line that a setting made up', () => {
    const [file] = networkFiles({ proxy: { httpProxy: 'http://x"\nExecStart=/bin/evil' } });
    expect(String(file?.content).split('\n')).toHaveLength(4);
  });
});
