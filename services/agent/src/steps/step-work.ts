import type { Inventory } from '../machine/inventory';

/** Input (`order`) and result (`result`, names of the v2 API) of each step. */
export interface StepWork {
  inventory: { order: { readonly hostId: string }; result: Inventory };
  'connectivity-check': { order: readonly RemoteHost[]; result: ConnectivityReport };
  'free-network-addresses': { order: readonly string[]; result: readonly FreeAddresses[] };
  'dhcp-lease-allocate': { order: DhcpLeaseRequest; result: DhcpLeases };
  'ntp-synchronizer': { order: { readonly sources: readonly string[] }; result: NtpReport };
  'domain-resolution': { order: { readonly domains: readonly string[] }; result: DomainReport };
  'verify-vips': { order: readonly Vip[]; result: readonly VerifiedVip[] };
  'api-vip-connectivity-check': { order: ApiVipRequest; result: ApiVipReport };
  'tang-connectivity-check': { order: { readonly servers: readonly TangServer[] }; result: TangReport };
  'installation-disk-speed-check': {
    order: { readonly path: string; readonly timeoutSeconds: number };
    /** 99th percentile of the duration of a synchronous write, in milliseconds. */
    result: { readonly path: string; readonly io_sync_duration: number };
  };
  'container-image-availability': {
    order: { readonly images: readonly string[]; readonly timeoutSeconds: number };
    result: { readonly images: readonly ImageAvailability[] };
  };
  install: { order: InstallRequest; result: void };
  'stop-installation': { order: undefined; result: void };
  'logs-gather': { order: LogsRequest; result: void };
  'upgrade-agent': {
    order: { readonly image: string };
    /** `reason` of a failure: sent as the error of the step, not in its document. */
    result: { readonly agent_image: string; readonly result: 'success' | 'failure'; readonly reason?: string };
  };
  'download-boot-artifacts': { order: BootArtifacts; result: void };
  'reboot-for-reclaim': { order: { readonly hostFsMountDir: string }; result: void };
}

export type StepType = keyof StepWork;

export interface RemoteHost {
  readonly hostId: string;
  readonly nics: readonly { readonly name: string; readonly mac: string; readonly addresses: readonly string[] }[];
}

export interface ConnectivityReport {
  readonly remote_hosts: readonly {
    readonly host_id: string;
    readonly l2_connectivity: readonly L2Reach[];
    readonly l3_connectivity: readonly L3Reach[];
    readonly mtu_report: readonly MtuReach[];
  }[];
}

export interface L2Reach {
  readonly outgoing_ip_address: string;
  readonly outgoing_nic: string;
  readonly remote_ip_address: string;
  readonly remote_mac: string;
  readonly successful: boolean;
}

export interface L3Reach {
  readonly average_rtt_ms?: number;
  readonly packet_loss_percentage?: number;
  readonly outgoing_nic?: string;
  readonly remote_ip_address: string;
  readonly successful?: boolean;
}

export interface MtuReach {
  readonly mtu_successful: boolean;
  readonly outgoing_nic: string;
  readonly remote_ip_address: string;
}

export interface FreeAddresses {
  readonly network: string;
  readonly free_addresses: readonly string[];
}

export interface DhcpLeaseRequest {
  readonly interface: string;
  readonly apiVipMac: string;
  readonly ingressVipMac: string;
  /** Earlier leases, which the host requests again; empty without any. */
  readonly apiVipLease: string;
  readonly ingressVipLease: string;
}

export interface DhcpLeases {
  readonly api_vip_address: string;
  readonly ingress_vip_address: string;
  readonly api_vip_lease: string;
  readonly ingress_vip_lease: string;
}

export interface NtpReport {
  readonly ntp_sources: readonly { readonly source_name: string; readonly source_state: NtpSourceState }[];
}
export type NtpSourceState = 'synced' | 'combined' | 'not_combined' | 'unreachable' | 'error' | 'variable';

export interface DomainReport {
  readonly resolutions: readonly {
    readonly domain_name: string;
    readonly ipv4_addresses: readonly string[];
    readonly ipv6_addresses: readonly string[];
    readonly cnames: readonly string[];
  }[];
}

export interface Vip {
  readonly vip: string;
  readonly vip_type: string;
}
export interface VerifiedVip extends Vip {
  readonly verification: 'succeeded' | 'failed';
}

export interface ApiVipRequest {
  readonly url: string;
  readonly caCertificatePem: string;
  readonly requestHeaders: readonly { readonly key: string; readonly value: string }[];
  readonly token: string;
}
export interface ApiVipReport {
  readonly url: string;
  readonly is_success: boolean;
  readonly ignition: string;
  readonly download_error: string;
}

export interface TangServer {
  readonly url: string;
  readonly thumbprint: string;
}
export interface TangReport {
  readonly is_success: boolean;
  /** The cause of a failure: sent as the error of the step, not in its document. */
  readonly reason?: string;
  readonly tang_server_response: readonly {
    readonly tang_url: string;
    readonly payload: string;
    readonly signatures: readonly { readonly protected: string; readonly signature: string }[];
  }[];
}

export interface ImageAvailability {
  readonly name: string;
  readonly size_bytes: number;
  /** Seconds. */
  readonly time: number;
  /** 10^6 bytes per second. */
  readonly download_rate: number;
  readonly result: 'success' | 'failure';
  /** The cause of a failure. It is sent as the error of the step and is not a part of its document. */
  readonly reason?: string;
}

export interface InstallRequest {
  readonly role: 'bootstrap' | 'master' | 'worker' | 'arbiter';
  readonly clusterId: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly bootDevice: string;
  readonly controllerImage: string;
  readonly installerImage: string;
  readonly controlPlaneCount: number;
  readonly checksClusterVersion: boolean;
  readonly openshiftVersion: string;
  readonly mcoImage: string;
  /** Image reference, or a JSON object of image references by operator. */
  readonly mustGatherImage: string;
  readonly coreosImage: string;
  readonly skipsDiskCleanup: boolean;
  readonly skipsMcoReboot: boolean;
  readonly notifiesReboots: boolean;
  readonly disksToFormat: readonly string[];
  /** Arguments for coreos-installer. */
  readonly installerArgs: readonly string[];
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly serviceIps: readonly string[];
}

export interface LogsRequest {
  readonly clusterId: string;
  readonly hostId: string;
  readonly infraEnvId: string;
  readonly isBootstrap: boolean;
  /** The bootstrap host also collects the logs of the control plane. */
  readonly includesControlPlane: boolean;
  /** Addresses of the other hosts of the control plane. */
  readonly controlPlaneAddresses: readonly string[];
}

export interface BootArtifacts {
  readonly kernelUrl: string;
  readonly initrdUrl: string;
  readonly rootfsUrl: string;
  readonly hostFsMountDir: string;
}
