import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { apiDocumentOf } from './api-document';

/** The page to browse; the document itself is beside it. */
export const DOCUMENT_PAGE = 'docs';

/** The document is public. It is made at the first request, so it costs nothing at start. */
export function serveDocument(app: NestFastifyApplication): void {
  SwaggerModule.setup(DOCUMENT_PAGE, app, () => apiDocumentOf(app), {
    jsonDocumentUrl: `${DOCUMENT_PAGE}/openapi.json`,
    yamlDocumentUrl: `${DOCUMENT_PAGE}/openapi.yaml`,
    customSiteTitle: 'Muster API',
    swaggerOptions: { docExpansion: 'none', filter: true, displayRequestDuration: true },
  });
}
