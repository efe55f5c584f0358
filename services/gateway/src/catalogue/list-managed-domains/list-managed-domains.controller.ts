import { Controller, Get } from '@nestjs/common';
import { Accepts } from '../../auth/accepts.decorator';

/** Base domains whose DNS records are made here: none, so people bring their own. */
@Controller('v2/domains')
export class ListManagedDomainsController {
  @Get()
  @Accepts('userAuth')
  handle(): { readonly [domain: string]: string } {
    return {};
  }
}
