import type { Type } from '@nestjs/common';
import { PreviewStaticNetworksController } from './preview-static-networks/preview-static-networks.controller';

/** What Muster offers beside the contract. */
export const OWN_CONTROLLERS: readonly Type[] = [PreviewStaticNetworksController];
