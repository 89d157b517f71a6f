-- People who sign in through OpenID Connect: the provider, and its own name for the person. They have no
-- password here.
ALTER TABLE users ADD COLUMN oidc_issuer TEXT;
ALTER TABLE users ADD COLUMN oidc_subject TEXT CHECK ((oidc_subject IS NULL) = (oidc_issuer IS NULL));
CREATE UNIQUE INDEX users_oidc ON users (oidc_issuer, oidc_subject) WHERE oidc_issuer IS NOT NULL;
