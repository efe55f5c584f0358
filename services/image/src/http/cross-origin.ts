/** CORS for browsers of other origins, as in assisted-image-service. */
export const CROSS_ORIGIN = {
  methods: ['GET', 'HEAD'],
  allowedHeaders: ['Authorization', 'Content-Type'],
  maxAge: 600,
};
