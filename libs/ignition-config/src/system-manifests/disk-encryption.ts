export interface EncryptionChoice {
  /** The contract's `enable_on`: none, all, or pools joined by commas. */
  readonly roles: string;
  /** tpmv2 or tang. */
  readonly mode: string;
  readonly tangServers: readonly { readonly url: string; readonly thumbprint: string }[];
  /** Of the cipher, as cryptsetup names it. */
  readonly cipher: string;
}

/** Argument that brings the network up before the disk is opened. */
const NETWORK_FIRST = 'rd.neednet=1';

/** The root file system in a container that only this machine's TPM, or somebody near the tang servers, can open. */
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
