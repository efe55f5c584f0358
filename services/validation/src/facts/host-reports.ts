import type { InventoryEvent } from '@muster/contracts';
import type { Hardware, HostFacts } from '@muster/validation-rules';
import type { EventData } from '@muster/contracts';

/** What a host reported in its present epoch; `undefined` means: not reported yet. */
export interface HostReports {
  readonly hardware: Hardware | undefined;
  readonly diskSpeeds: HostFacts['diskSpeeds'];
  readonly images: HostFacts['images'];
  readonly ntpSources: HostFacts['ntpSources'];
  readonly clockOffsetSeconds: number | undefined;
  readonly vips: EventData<'VipsVerified'>['vips'];
  readonly isIgnitionDownloaded: boolean | undefined;
  readonly mtuFailures: HostFacts['mtuFailures'];
}

export const NO_REPORTS: HostReports = {
  hardware: undefined,
  diskSpeeds: [],
  images: [],
  ntpSources: [],
  clockOffsetSeconds: undefined,
  vips: [],
  isIgnitionDownloaded: undefined,
  mtuFailures: undefined,
};

/** The reports after one more. Reports that no rule reads yet leave them as they are. */
export function evolveReports(reports: HostReports, event: InventoryEvent): HostReports {
  switch (event.type) {
    case 'InventoryReported':
      return { ...reports, hardware: event.data.hardware };
    case 'DiskSpeedMeasured': {
      const others = reports.diskSpeeds.filter(({ path }) => path !== event.data.path);
      return { ...reports, diskSpeeds: [...others, event.data] };
    }
    case 'ImageAvailabilityReported': {
      const named = new Set(event.data.images.map(({ name }) => name));
      return { ...reports, images: [...reports.images.filter(({ name }) => !named.has(name)), ...event.data.images] };
    }
    case 'NtpSourcesReported':
      return { ...reports, ntpSources: event.data.sources };
    case 'ClockOffsetMeasured':
      return { ...reports, clockOffsetSeconds: event.data.offsetSeconds };
    case 'VipsVerified':
      return { ...reports, vips: event.data.vips };
    case 'ApiVipConnectivityReported':
      return { ...reports, isIgnitionDownloaded: event.data.isSuccess };
    case 'ConnectivityReported':
      return { ...reports, mtuFailures: event.data.mtuMeasured ? event.data.mtuFailures : undefined };
    case 'ReportCleared':
      return { ...reports, ...CLEARED[event.data.stepType] };
    case 'DomainsResolved':
    case 'FreeAddressesReported':
    case 'TangConnectivityReported':
      return reports;
    default: {
      // A report of a newer version: this one has no rule for it.
      const unknown: never = event;
      return unknown === undefined ? reports : reports;
    }
  }
}

/** What is unknown again once the result of a step was cleared. */
const CLEARED: { readonly [stepType: string]: Partial<HostReports> | undefined } = {
  inventory: { hardware: undefined },
  'installation-disk-speed-check': { diskSpeeds: [] },
  'container-image-availability': { images: [] },
  'ntp-synchronizer': { ntpSources: [] },
  'verify-vips': { vips: [] },
  'api-vip-connectivity-check': { isIgnitionDownloaded: undefined },
  'connectivity-check': { mtuFailures: undefined },
};
