//! OpenID Connect: signing in with an account that the organisation has already, by the
//! authorization code flow with PKCE (OpenID Connect Core 1.0 and Discovery 1.0, RFC 6749, 7636 and
//! 9207).
//!
//! The protocol's client part is small, and what is delicate in it, signatures, is the work of the
//! library that TLS uses here already. Nothing of the provider is kept: its addresses and keys are
//! read anew at each sign-in, so that none of them is ever stale.

pub mod people;
pub mod token;

use crate::config::OidcSettings;
use crate::provider::{ProviderError, http};
use app::model::Role;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{RequestBuilder, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::time::{Duration, SystemTime};
use url::Url;

/// A whole exchange with the provider.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const LARGEST: usize = 256 * 1024;
/// How long a person may take at the provider.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Why somebody cannot sign in this way. The texts hold no names, codes or tokens.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// It does not answer.
    #[error("the provider does not answer: {0}")]
    Unreachable(String),
    /// It answers something else.
    #[error("the provider's answer is not as documented: {0}")]
    Unreadable(&'static str),
    /// It does not take the code, or not from this client.
    #[error("the provider refuses: {0}")]
    Refused(String),
    /// Its ID token is not accepted.
    #[error(transparent)]
    Token(#[from] token::Fault),
}

/// A sign-in that was begun, as the session keeps it meanwhile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begun {
    /// Comes back with the answer: it is that of this browser.
    pub state: String,
    nonce: String,
    verifier: String,
    /// Where the person wanted to go.
    pub next: String,
    /// Seconds since 1970.
    at: u64,
}

impl Begun {
    /// Too long ago.
    pub fn is_stale(&self) -> bool {
        now().saturating_sub(self.at) > PATIENCE.as_secs()
    }
}

/// Who signed in there.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// The provider, and its own name for the person: together they are the person, for good.
    pub issuer: String,
    /// See `issuer`.
    pub subject: String,
    /// What the provider calls them, which may change.
    pub name: Option<String>,
    /// The highest role that their claim gives them here.
    pub role: Option<Role>,
}

/// The provider.
pub struct Oidc {
    settings: OidcSettings,
    redirect: String,
    client: reqwest::Client,
}

/// What the provider says of itself.
struct Endpoints {
    authorization: Url,
    token: Url,
    userinfo: Option<Url>,
    keys: Url,
    /// The client's secret goes into the body, not into a header.
    secret_in_body: bool,
    /// Scopes to ask for.
    scope: String,
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |d| d.as_secs())
}

/// 256 bits that nobody can guess.
fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

impl Oidc {
    /// `base_url`: where browsers reach the desk.
    pub fn new(settings: &OidcSettings, base_url: &str) -> Result<Oidc, ProviderError> {
        Ok(Oidc {
            settings: settings.clone(),
            redirect: format!("{base_url}/session/oidc/callback"),
            client: http::client(TIMEOUT)?,
        })
    }

    /// What stands on the button.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// The provider, as it names itself.
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// Begins: where to send the browser, and what to keep until it comes back.
    pub async fn begin(&self, next: &str) -> Result<(String, Begun), OidcError> {
        let endpoints = self.endpoints().await?;
        let begun = Begun {
            state: random(),
            nonce: random(),
            verifier: random(),
            next: next.to_owned(),
            at: now(),
        };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&begun.verifier));
        let mut to = endpoints.authorization;
        to.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("scope", &endpoints.scope)
            .append_pair("state", &begun.state)
            .append_pair("nonce", &begun.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok((to.into(), begun))
    }

    /// Turns the code that the browser brought back into a person.
    pub async fn finish(&self, begun: &Begun, code: &str) -> Result<Person, OidcError> {
        let endpoints = self.endpoints().await?;
        let answer = self.get(self.redemption(&endpoints, begun, code)).await?;
        let text = |member: &str| answer.get(member).and_then(Value::as_str);
        let id_token = text("id_token").ok_or(OidcError::Unreadable("no id_token"))?;
        let keys = self.get(self.client.get(endpoints.keys.clone())).await?;
        let expected = token::Expected {
            issuer: &self.settings.issuer,
            client_id: &self.settings.client_id,
            nonce: &begun.nonce,
            now: i64::try_from(now()).unwrap_or(i64::MAX),
        };
        let claims = token::check(id_token, &keys, &expected)?;
        let subject = claims["sub"].as_str().unwrap_or_default();
        // Some providers put into the ID token only who it is; the rest they tell when asked.
        let mut more = Value::Null;
        let lacks = claim(&claims, &self.settings.role_claim).is_none()
            || claims.get("preferred_username").is_none();
        if lacks && let (Some(url), Some(access)) = (endpoints.userinfo, text("access_token")) {
            more = self.get(self.client.get(url).bearer_auth(access)).await?;
            if more["sub"].as_str() != Some(subject) {
                return Err(OidcError::Unreadable("userinfo of somebody else"));
            }
        }
        let said = |name: &str| {
            let said = claims.get(name).or_else(|| more.get(name));
            said.and_then(Value::as_str).map(str::to_owned)
        };
        let roles = claim(&claims, &self.settings.role_claim)
            .or_else(|| claim(&more, &self.settings.role_claim));
        Ok(Person {
            issuer: self.settings.issuer.clone(),
            subject: subject.to_owned(),
            name: said("preferred_username").or_else(|| said("nickname")),
            role: roles.and_then(|values| role(values, &self.settings.roles)),
        })
    }

    /// The request that turns a code into tokens.
    fn redemption(&self, endpoints: &Endpoints, begun: &Begun, code: &str) -> RequestBuilder {
        let settings = &self.settings;
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("code_verifier", &begun.verifier);
        let mut request = self
            .client
            .post(endpoints.token.clone())
            .header("content-type", "application/x-www-form-urlencoded");
        match &settings.client_secret {
            Some(secret) if !endpoints.secret_in_body => {
                // Encoded as in a form first (RFC 6749, section 2.3.1).
                request = request.basic_auth(encoded(&settings.client_id), Some(encoded(secret)));
            }
            secret => {
                form.append_pair("client_id", &settings.client_id);
                if let Some(secret) = secret {
                    form.append_pair("client_secret", secret);
                }
            }
        }
        request.body(form.finish())
    }

    async fn endpoints(&self) -> Result<Endpoints, OidcError> {
        let issuer = &self.settings.issuer;
        let at = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let said = self.get(self.client.get(at)).await?;
        // Else one provider could hand out another's tokens.
        if said["issuer"].as_str() != Some(issuer) {
            return Err(OidcError::Unreadable("it names itself another issuer"));
        }
        let endpoint = |member: &'static str| -> Result<Url, OidcError> {
            let url = said.get(member).and_then(Value::as_str);
            url.and_then(|text| Url::parse(text).ok())
                .filter(|url| url.scheme() == "https" || issuer.starts_with("http:"))
                .ok_or(OidcError::Unreadable(member))
        };
        let lists = |member: &str, word: &str| {
            let list = said.get(member).and_then(Value::as_array);
            list.map(|all| all.iter().any(|one| one.as_str() == Some(word)))
        };
        let mut scope = "openid profile".to_owned();
        // Providers that have a scope for groups or roles name it as the claim.
        let own = self.settings.role_claim.as_str();
        if lists("scopes_supported", own) == Some(true) {
            scope = format!("{scope} {own}");
        }
        Ok(Endpoints {
            authorization: endpoint("authorization_endpoint")?,
            token: endpoint("token_endpoint")?,
            userinfo: endpoint("userinfo_endpoint").ok(),
            keys: endpoint("jwks_uri")?,
            secret_in_body: lists(
                "token_endpoint_auth_methods_supported",
                "client_secret_basic",
            ) == Some(false),
            scope,
        })
    }

    /// Sends a request once, and reads the JSON of its answer.
    async fn get(&self, request: RequestBuilder) -> Result<Value, OidcError> {
        // Without the address: it may hold a code.
        let unreachable = |e: reqwest::Error| OidcError::Unreachable(e.without_url().to_string());
        let request = request.header("accept", "application/json");
        let mut answer = request.send().await.map_err(unreachable)?;
        let status = answer.status();
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST {
                return Err(OidcError::Unreadable("an answer is too large"));
            }
        }
        let value: Option<Value> = serde_json::from_slice(&body).ok();
        if status == StatusCode::OK {
            return value.ok_or(OidcError::Unreadable("an answer is no JSON"));
        }
        // Of its words only the code that the standard has, for the log.
        let code = value
            .as_ref()
            .and_then(|v| v["error"].as_str())
            .filter(|code| code.len() <= 64 && code.bytes().all(|b| b.is_ascii_graphic()))
            .unwrap_or_default();
        let said = format!("{} {code}", status.as_u16()).trim().to_owned();
        if status.is_server_error() {
            Err(OidcError::Unreachable(said))
        } else {
            Err(OidcError::Refused(said))
        }
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A claim by its name; where there is none of that name, by the path that its dots make.
fn claim<'a>(claims: &'a Value, name: &str) -> Option<&'a Value> {
    claims.get(name).or_else(|| {
        let mut parts = name.split('.');
        parts.try_fold(claims, |within, part| within.get(part))
    })
}

/// The highest role that a claim's values give.
fn role(values: &Value, roles: &[(String, Role)]) -> Option<Role> {
    let of = |value: &str| {
        let given = roles.iter().filter(|(name, _)| name == value);
        given.map(|(_, role)| *role).max()
    };
    match values {
        Value::String(one) => of(one),
        Value::Array(many) => many.iter().filter_map(Value::as_str).filter_map(of).max(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_highest_role_of_a_claim_counts() {
        let roles = [
            ("helpdesk".to_owned(), Role::Support),
            ("leads".to_owned(), Role::Lead),
            ("it".to_owned(), Role::Admin),
        ];
        for (values, given) in [
            (json!("leads"), Some(Role::Lead)),
            (json!(["helpdesk", "leads", "cooks"]), Some(Role::Lead)),
            (json!(["it", 7, null]), Some(Role::Admin)),
            (json!([]), None),
            (json!(["IT", "it ", "helpdesk,leads"]), None),
            (json!({"it": true}), None),
            (json!(null), None),
        ] {
            assert_eq!(role(&values, &roles), given, "{values}");
        }
    }

    #[test]
    fn a_claim_is_found_by_its_name_or_its_path() {
        let claims = json!({
            "groups": ["a"], "https://shop.example/roles": ["b"],
            "realm_access": {"roles": ["c"]},
        });
        assert_eq!(claim(&claims, "groups"), Some(&json!(["a"])));
        let whole = "https://shop.example/roles";
        assert_eq!(claim(&claims, whole), Some(&json!(["b"])));
        assert_eq!(claim(&claims, "realm_access.roles"), Some(&json!(["c"])));
        assert_eq!(claim(&claims, "realm_access.groups"), None);
        assert_eq!(claim(&Value::Null, "groups"), None);
    }
}
