-- People who sign in through OpenID Connect: the provider, and its own name for the person. They have no
-- password here.
ALTER TABLE denpyo.users ADD COLUMN oidc_issuer text;
ALTER TABLE denpyo.users ADD COLUMN oidc_subject text CHECK ((oidc_subject IS NULL) = (oidc_issuer IS NULL));
CREATE UNIQUE INDEX users_oidc ON denpyo.users (oidc_issuer, oidc_subject) WHERE oidc_issuer IS NOT NULL;
