import { Controller, Get, Inject } from '@nestjs/common';
import { dictionary, record, text } from '@muster/assisted-api';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';

/** `list-versions` of the contract. */
const V2_COMPONENT_VERSIONS = record('list-versions', { versions: dictionary(text()), release_tag: text() });

@Controller('v2/component-versions')
export class ListComponentVersionsController {
  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  @Get()
  @Answers('Tells which versions of its parts this service runs and hands out.', V2_COMPONENT_VERSIONS)
  @Accepts('userAuth')
  handle(): { readonly versions: { readonly [component: string]: string }; readonly release_tag: string } {
    return { versions: this.config.componentVersions, release_tag: this.config.releaseTag };
  }
}
