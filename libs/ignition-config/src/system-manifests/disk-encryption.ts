export interface EncryptionChoice {
  /** `enable_on` of the v2 API: none, all, or pools joined by commas. */
  readonly roles: string;
  /** tpmv2 or tang. */
  readonly mode: string;
  readonly tangServers: readonly { readonly url: string; readonly thumbprint: string }[];
  /** Name of the cipher for cryptsetup. */
  readonly cipher: string;
}

/** Kernel argument that starts the network before the disk is opened. */
const NETWORK_FIRST = 'rd.neednet=1';

/** Encrypts the root file system with the TPM of the host or with tang servers. */
export function encryptedRoot({
  mode,
  tangServers,
  cipher,
}: EncryptionChoice): [object, { kernelArguments?: string[] }] {
  const isTang = mode === 'tang';
  const config = {
    storage: {
      luks: [
        {
          name: 'root',
          label: 'luks-root',
          device: '/dev/disk/by-partlabel/root',
          clevis: isTang ? { tang: tangServers.map(({ url, thumbprint }) => ({ url, thumbprint })) } : { tpm2: true },
          options: ['--cipher', cipher],
          wipeVolume: true,
        },
      ],
      filesystems: [{ device: '/dev/mapper/root', format: 'xfs', wipeFilesystem: true, label: 'root' }],
    },
  };
  return [config, isTang ? { kernelArguments: [NETWORK_FIRST] } : {}];
}
