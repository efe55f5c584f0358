import { domainsReader, freeAddressesReader, vipsReader } from './address.reports';
import { connectivityReader } from './connectivity.report';
import { apiVipReader, tangReader } from './endpoint.reports';
import { inventoryReader } from './inventory.report';
import { diskSpeedReader, imagesReader } from './preparation.reports';
import type { ReportReader } from './report';
import { clockReader, ntpReader } from './time.reports';

/** Every kind of report, by step type. */
export function reportReaders(settings: {
  readonly keepsVirtualInterfaces: boolean;
}): ReadonlyMap<string, ReportReader> {
  const readers = [
    inventoryReader(settings.keepsVirtualInterfaces),
    connectivityReader,
    ntpReader,
    clockReader,
    diskSpeedReader,
    imagesReader,
    freeAddressesReader,
    domainsReader,
    vipsReader,
    tangReader,
    apiVipReader,
  ];
  return new Map(readers.map((reader) => [reader.stepType, reader]));
}
