/** The meaning of a failure of a command or a connection, and its remedy. */
export interface FailureCause {
  readonly id: string;
  /** Matched against the code and the text of the failure, as Node, curl, podman and coreos-installer print it. */
  readonly pattern: RegExp;
  readonly cause: string;
  readonly remedy: string;
}

/** The patterns are disjoint in practice. The first match is used. */
export const FAILURE_CAUSES: readonly FailureCause[] = [
  {
    id: 'clock',
    pattern: /CERT_NOT_YET_VALID|not yet valid/i,
    cause: 'The certificate is not valid yet by the clock of this host.',
    remedy: 'Set the clock in the firmware, or give the host an NTP source that it reaches.',
  },
  {
    id: 'expired-certificate',
    pattern: /CERT_HAS_EXPIRED|certificate has expired/i,
    cause: 'The certificate of the server has expired by the clock of this host.',
    remedy: 'Check the clock of the host, then renew the certificate.',
  },
  {
    id: 'wrong-name',
    pattern: /ALTNAME_INVALID|hostname mismatch|does not match certificate/i,
    cause: 'The certificate was issued for another name.',
    remedy: 'Use an address in the certificate, or issue a certificate with this address.',
  },
  {
    id: 'untrusted-certificate',
    pattern:
      /SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|certificate verify failed|unknown authority|self.signed certificate/i,
    cause: 'The host does not trust the certificate of the server.',
    remedy: 'Set SERVICE_CA_CERT_PATH, or additional_trust_bundle of the infra-env, and boot a new image.',
  },
  {
    id: 'no-name',
    pattern: /ENOTFOUND|EAI_AGAIN|dns error|failed to lookup address|could not resolve host/i,
    cause: 'The name of the server cannot be resolved.',
    remedy: 'Check the DNS servers of the host and the record of this name.',
  },
  {
    id: 'no-route',
    pattern: /ENETUNREACH|EHOSTUNREACH|network is unreachable|no route to host/i,
    cause: 'The host has no route to the server.',
    remedy: 'Check the addresses, the default route and the VLAN of the host.',
  },
  {
    id: 'refused',
    pattern: /ECONNREFUSED|connection refused/i,
    cause: 'Nothing listens at this address and port.',
    remedy: 'Check that the server runs and that no firewall rejects the port.',
  },
  {
    id: 'busy-systemd',
    pattern: /^"(systemctl|shutdown|hostnamectl) [^]*timed out/i,
    cause: 'The service manager systemd did not answer in time.',
    remedy: 'Check that the host has enough memory, and boot it from the image again.',
  },
  {
    id: 'timeout',
    pattern: /ETIMEDOUT|timed out|no answer within|operation too slow/i,
    cause: 'The server did not answer in time.',
    remedy: 'Check the firewall and the proxy between the host and the server.',
  },
  {
    id: 'not-found',
    pattern: /404 Not Found/i,
    cause: 'The server does not have this file.',
    remedy: 'Check the URL, and that the mirror contains the image.',
  },
  {
    id: 'server-error',
    pattern: /HTTP (status server error \()?5\d\d/i,
    cause: 'The server failed.',
    remedy: 'Read the log of the server in the URL.',
  },
  {
    id: 'truncated',
    pattern: /end of file before message length|incomplete (deflate|zstd|xz) stream|unexpected (EOF|end of file)/i,
    cause: 'The download ended before it was complete.',
    remedy: 'Check the proxy and the network for limits, then reset the host and try again.',
  },
  {
    id: 'reset-connection',
    pattern: /ECONNRESET|socket hang up|connection reset by peer/i,
    cause: 'The answer of the server ended before it was complete.',
    remedy: 'Check that the server runs, and the firewall and the proxy between the host and the server.',
  },
  {
    id: 'corrupt',
    pattern:
      /corrupt (deflate|zstd|xz|input)|(digest|checksum|hash|sha256) (mismatch|does not match|verification failed)|invalid checksum/i,
    cause: 'The downloaded data differs from the published data.',
    remedy: 'Check the copy on the mirror, and proxies that change content.',
  },
  {
    id: 'full-memory',
    pattern: /^ENOSPC|"podman [^]*no space left on device/i,
    cause: 'The live system is full: its files are in memory.',
    remedy: 'Give the host more memory, and boot it from the image again.',
  },
  {
    id: 'full-disk',
    pattern: /ENOSPC|no space left on device/i,
    cause: 'The disk is full: it is smaller than the data.',
    remedy: 'Choose a larger installation disk.',
  },
  {
    id: 'busy-disk',
    pattern: /exclusive access|found busy partitions|EBUSY|resource busy/i,
    cause: 'Another program uses the disk.',
    remedy: 'Unmount its file systems, or remove volume groups and RAID arrays from it, then try again.',
  },
  {
    id: 'disk-error',
    pattern: /EIO\b|input\/output error|os error 5\)/i,
    cause: 'The disk reported an error.',
    remedy: 'Check the disk and its cable, or choose another installation disk.',
  },
  {
    id: 'lost-disk',
    pattern:
      /(ENODEV|ENXIO|no such device|no such file or directory)[^]*\/dev\/|\/dev\/[^]*(ENODEV|ENXIO|no such device|no such file or directory)/i,
    cause: 'The disk is not available any more.',
    remedy: 'Check the disk, its cable and its controller, then boot the host again.',
  },
  {
    id: 'missing-program',
    pattern: /command not found|executable file not found/i,
    cause: 'The live system does not contain this program.',
    remedy: 'Boot the host from an image of the release that is installed.',
  },
];

/** Returns the cause and the remedy as one text. Undefined when the failure is unknown. */
export function explainFailure(failure: string): string | undefined {
  const row = FAILURE_CAUSES.find(({ pattern }) => pattern.test(failure));
  return row && `${row.cause} ${row.remedy}`;
}
