"""All settings of rarrweb. Every variable read here is described in docs/configuration.md."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from rarrweb.accounts.oidc import provider_settings
from rarrweb.env import env_bool, env_choice, env_float, env_int, env_str, env_url
from rarrweb.private_files import restrict_mode, secure_directory
from rarrweb.secret_key import secret_key
from rarrweb.web.addresses import is_local

BASE_DIR = Path(__file__).resolve().parent.parent

# --- State -------------------------------------------------------------------------------
VAR_DIR = Path(env_str("RARR_VAR", str(BASE_DIR / "var"))).resolve()
try:
    secure_directory(VAR_DIR)
except OSError as error:
    raise ImproperlyConfigured(
        f"RARR_VAR={str(VAR_DIR)!r} cannot be made ({error.strerror}): name a folder that you "
        "may write to."
    ) from None
CORPUS_DIR = VAR_DIR / "corpora"
UPLOAD_DIR = VAR_DIR / "uploads"
ANSWERS_FILE = "answers.sqlite3"  # under VAR_DIR: the cache of `revise`
QUEUE_DIR = VAR_DIR / "queue"
RARR_BACKUPS = env_int("RARR_BACKUPS", 5, minimum=0, maximum=1000)
BACKUP_DIR = Path(env_str("RARR_BACKUP_FOLDER", str(VAR_DIR / "backups"))).resolve()

SECRET_KEY = secret_key(env_str("RARR_SECRET_KEY", ""), folder=VAR_DIR)
IS_KEY_IN_FILE = not env_str("RARR_SECRET_KEY", "")
DEBUG = env_bool("RARR_DEBUG", False)

# --- Address: hosts, trusted origins and secure cookies follow from PUBLIC_URL -------------
PUBLIC_URL = env_url("PUBLIC_URL", "http://localhost:8000", schemes={"http", "https"})
_host = PUBLIC_URL.hostname or "localhost"
_local_hosts = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = _local_hosts if is_local(PUBLIC_URL) else [_host]
CSRF_TRUSTED_ORIGINS = [f"{PUBLIC_URL.scheme}://{PUBLIC_URL.netloc}"]
_https = PUBLIC_URL.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SECURE_SSL_REDIRECT = False  # the proxy redirects
FORCE_SCRIPT_NAME = ""  # ignore prefixes in requests: sub-paths are not supported
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
SECURE_HSTS_SECONDS = 3600 * 24 * 30 if _https else 0
SESSION_ENGINE = "rarrweb.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
# The prefix binds the cookie to this host and https.
SESSION_COOKIE_NAME = "__Host-rarrweb_session" if _https else "rarrweb_session"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "rarrweb.operations",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "axes",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "drf_standardized_errors",
    "rarrweb.accounts",
    "pipeline",
    "annotation",
]

MIDDLEWARE = [
    "rarrweb.operations.request_logging.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "rarrweb.web.middleware.response_defaults",
    "rarrweb.accounts.request_checks.RequestChecks",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "rarrweb.web.middleware.LoginRequiredMiddleware",
    "rarrweb.accounts.second_factor.SecondFactorMiddleware",
    "annotation.raters.middleware.ParticipantMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "rarrweb.urls"
WSGI_APPLICATION = "rarrweb.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "rarrweb.help.links.documentation",
            ],
        },
    },
]

# --- Database ----------------------------------------------------------------------------
_database_url = env_str("DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}")
try:
    _database: dict[str, Any] = dict(dj_database_url.parse(_database_url))
except (ValueError, dj_database_url.ParseError):
    raise ImproperlyConfigured(
        "DATABASE_URL cannot be read: write postgres://user:password@host:5432/name."
    ) from None
if _database["ENGINE"] == "django.db.backends.sqlite3":
    for _suffix in ("", "-wal", "-shm"):
        restrict_mode(Path(f"{_database['NAME']}{_suffix}"))
    _database["OPTIONS"] = {
        # Lock at BEGIN: a transaction that reads and then writes cannot fail.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # FULL: no commit is lost in a power cut.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
elif _database["ENGINE"] == "django.db.backends.postgresql":
    _database["CONN_HEALTH_CHECKS"] = True
    # Prepared statements: planning took 40 % of the database's time.
    _database["OPTIONS"] = {
        "server_side_binding": True,
        "prepare_threshold": 5,
        **_database.get("OPTIONS", {}),
    }
else:
    raise ImproperlyConfigured("DATABASE_URL: write a sqlite:/// or a postgres:// address.")
# SQLite's last connection copies the log when it closes.
_database["CONN_MAX_AGE"] = 60
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

# --- People ------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
_validation = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_validation}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_validation}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_validation}.CommonPasswordValidator"},
    {"NAME": f"{_validation}.NumericPasswordValidator"},
    {"NAME": "rarrweb.accounts.passwords.MaximumLengthValidator"},
    {"NAME": "rarrweb.accounts.passwords.DistinctCharactersValidator"},
]
INVITATION_DAYS = 14
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# By name and address, so that nobody locks others out. The cache stores hashes of both.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "rarrweb.accounts.http.client_address"
AXES_LOCKOUT_TEMPLATE = "429.html"
AXES_ENABLE_ADMIN = False
ACCOUNT_ADAPTER = "rarrweb.accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "rarrweb.accounts.forms.LogInForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "login": None,
    "login_failed": "10/15m/key",  # second factors: these users know the password
    "failed_address": "50/15m/ip",
}
MFA_ADAPTER = "rarrweb.accounts.adapters.MfaAdapter"
MFA_TOTP_ISSUER = PUBLIC_URL.hostname or "rarrweb"
MFA_TOTP_TOLERANCE = 1
SOCIALACCOUNT_ADAPTER = "rarrweb.accounts.adapters.SocialAccountAdapter"
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
RARR_SECOND_FACTOR = env_choice(
    "RARR_SECOND_FACTOR", "optional", choices=["optional", "researchers", "administrators"]
)

RARR_OIDC_ISSUER = env_str("RARR_OIDC_ISSUER", "")
RARR_OIDC_CLIENT_ID = env_str("RARR_OIDC_CLIENT_ID", "")
RARR_OIDC_CLIENT_SECRET = env_str("RARR_OIDC_CLIENT_SECRET", "")
RARR_OIDC_NAME = env_str("RARR_OIDC_NAME", "single sign-on")
if RARR_OIDC_ISSUER:
    _issuer = env_url("RARR_OIDC_ISSUER", "", schemes={"http", "https"})
    if _issuer.scheme != "https" and not is_local(_issuer):
        raise ImproperlyConfigured(
            f"RARR_OIDC_ISSUER={RARR_OIDC_ISSUER!r}: write an https address."
        )
    if not (RARR_OIDC_CLIENT_ID and RARR_OIDC_CLIENT_SECRET):
        raise ImproperlyConfigured(
            "RARR_OIDC_ISSUER needs RARR_OIDC_CLIENT_ID and RARR_OIDC_CLIENT_SECRET: register "
            "rarrweb with the provider to get both."
        )
    SOCIALACCOUNT_PROVIDERS = provider_settings(
        issuer=RARR_OIDC_ISSUER,
        name=RARR_OIDC_NAME,
        client_id=RARR_OIDC_CLIENT_ID,
        secret=RARR_OIDC_CLIENT_SECRET,
    )

# --- Pages -------------------------------------------------------------------------------
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
WHITENOISE_USE_FINDERS = True  # no collectstatic needed
WHITENOISE_MAX_AGE = 300
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_MIMETYPES = {".svg": "image/svg+xml; charset=utf-8"}
FILE_UPLOAD_TEMP_DIR = str(VAR_DIR)  # a 1 GB upload must not fill /tmp
UPLOAD_LIMIT_MB = env_int("RARR_UPLOAD_MB", 2048, minimum=1, maximum=1_000_000)

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rarrweb.web.json_parser.ShallowJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "rarrweb.api.resources.SummarySchema",
    "DEFAULT_METADATA_CLASS": None,  # 405 for OPTIONS: the schema documents the API
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
}
_refusals = ["400", "401", "403", "404", "406", "409", "413", "415", "429"]
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "rarrweb.web.api_lists.Handler",
    "ALLOWED_ERROR_STATUS_CODES": _refusals,
    "ERROR_SCHEMAS": dict.fromkeys(_refusals, "rarrweb.web.api_lists.RefusalSerializer"),
}
# For the public API; the judging page's requests use REST_FRAMEWORK alone.
SPECTACULAR_SETTINGS = {
    "TITLE": "rarrweb",
    "VERSION": "1",
    "DESCRIPTION": "Datasets, corpora, runs, revisions, campaigns and their results.",
    "SERVE_AUTHENTICATION": [
        "rarrweb.api.resources.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "SERVE_PERMISSIONS": [
        "rest_framework.permissions.IsAuthenticated",
        "rarrweb.api.resources.IsResearcher",
    ],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "defaultModelsExpandDepth": -1},
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "CampaignState": "annotation.models.Campaign.State",
        "Questionnaire": "annotation.questionnaires.QUESTIONNAIRES",
        "CorpusState": "pipeline.models.Corpus.State",
        "RunState": "pipeline.models.Run.State",
        "RevisionState": "pipeline.models.Revision.State",
        "UploadState": "pipeline.models.Upload.State",
    },
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

# --- Background work ---------------------------------------------------------------------
CELERY_BROKER_URL = env_str("CELERY_BROKER_URL", "filesystem://")
if CELERY_BROKER_URL.startswith("filesystem:"):
    for _folder in ("messages", "control"):
        (QUEUE_DIR / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
        "store_processed": False,
    }
# A task renews the lease of its row while it works.
LEASE_SECONDS = env_int("RARR_LEASE_SECONDS", 60, minimum=2, maximum=3600)
STOP_SECONDS = env_int("RARR_STOP_SECONDS", 10, minimum=0, maximum=3600)
HEARTBEAT_SECONDS = 5
SWEEP_SECONDS = env_int("RARR_SWEEP_SECONDS", 60, minimum=1, maximum=3600)

# --- Backends ----------------------------------------------------------------------------
RARR_LLM = env_str("RARR_LLM", "compact")
RARR_LLM_QUERIES = env_str("RARR_LLM_QUERIES", "llm")
RARR_LLM_AGREEMENT = env_str("RARR_LLM_AGREEMENT", "llm")
RARR_LLM_EDIT = env_str("RARR_LLM_EDIT", "llm")
RARR_LLM_DECONTEXTUALIZE = env_str("RARR_LLM_DECONTEXTUALIZE", "llm")
RARR_EFEC_MODEL = env_str("RARR_EFEC_MODEL", "llm")
RARR_DECONTEXTUALIZER = env_str("RARR_DECONTEXTUALIZER", "llm")
RARR_CONTEXTUAL_PROMPTS = env_choice("RARR_CONTEXTUAL_PROMPTS", "dialog", choices=["dialog", "any"])
# A folder whose files replace the shipped prompts.
RARR_PROMPTS = env_str("RARR_PROMPTS", "")
RARR_ENTAILMENT = env_str("RARR_ENTAILMENT", "compact")
RARR_JUDGE_SAMPLES = env_int("RARR_JUDGE_SAMPLES", 5, minimum=1, maximum=100)
RARR_RELEVANCE = env_str("RARR_RELEVANCE", "compact")
RARR_SEARCH = env_str("RARR_SEARCH", "corpus")
RARR_TRUSTED_HOSTS = env_str("RARR_TRUSTED_HOSTS", "")
RARR_SEARCH_ENGINES = env_str("RARR_SEARCH_ENGINES", "")
# A server that indexes corpora, with user and password; "" for indexes on the disk.
RARR_OPENSEARCH = env_str("RARR_OPENSEARCH", "")
RARR_DOMAINS_EXCLUDED = env_str("RARR_DOMAINS_EXCLUDED", "")
RARR_DOMAINS_ALLOWED = env_str("RARR_DOMAINS_ALLOWED", "")
RARR_PAGE_PAUSE = env_float("RARR_PAGE_PAUSE", 0.5, minimum=0, maximum=60)
RARR_CONTACT = env_str("RARR_CONTACT", "")
RARR_SPACY_MODEL = env_str("RARR_SPACY_MODEL", "blank")
RARR_THREADS = env_int("RARR_THREADS", 0, minimum=0, maximum=1024)
RARR_DEVICE = env_str("RARR_DEVICE", "auto")
# For RARR_LLM=openai:MODEL; prices are per million tokens.
RARR_LLM_BASE_URL = env_url(
    "RARR_LLM_BASE_URL", "https://api.openai.com/v1", schemes={"http", "https"}
).geturl()
RARR_LLM_API_KEY = env_str("RARR_LLM_API_KEY", "")
RARR_LLM_API = env_choice("RARR_LLM_API", "chat", choices=["chat", "completions"])
RARR_LLM_EXTRA_TOKENS = env_str("RARR_LLM_EXTRA_TOKENS", "")
RARR_LLM_TIMEOUT = env_float("RARR_LLM_TIMEOUT", 60.0, minimum=0.1, maximum=3600)
RARR_LLM_PATIENCE = env_float("RARR_LLM_PATIENCE", 120.0, minimum=0, maximum=3600)
RARR_LLM_CONCURRENCY = env_int("RARR_LLM_CONCURRENCY", 12, minimum=1, maximum=1024)
RARR_LLM_PER_MINUTE = env_int("RARR_LLM_PER_MINUTE", 0, minimum=0, maximum=1_000_000)
RARR_LLM_PRICE_INPUT = env_float("RARR_LLM_PRICE_INPUT", None, minimum=0, maximum=1e6)
RARR_LLM_PRICE_OUTPUT = env_float("RARR_LLM_PRICE_OUTPUT", None, minimum=0, maximum=1e6)
RARR_LLM_LOG_TEXTS = env_bool("RARR_LLM_LOG_TEXTS", False)

# --- Metrics and logs --------------------------------------------------------------------
METRICS_TOKEN = env_str("RARR_METRICS_TOKEN", "")
if METRICS_TOKEN and len(METRICS_TOKEN) < 16:
    raise ImproperlyConfigured("RARR_METRICS_TOKEN is too short: write at least 16 characters.")
_log = env_choice("RARR_LOG", "text", choices=["text", "json"])
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "ids": {"()": "rarrweb.log_lines.WithIds"},
        "route": {"()": "rarrweb.log_lines.RouteOnly"},
    },
    "formatters": {
        "line": {"()": f"rarrweb.log_lines.{_log.title()}Lines"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["ids", "route"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        **{name: {"level": "INFO"} for name in ("audit", "rarrweb", "pipeline", "annotation")},
        # Without Django's handlers, which log paths.
        "django": {"handlers": []},
        "django.server": {"handlers": [], "propagate": False},
        "axes": {"level": "ERROR"},  # it would log typed names
        # A line per request and task, for programs.
        **{
            name: {"level": "INFO" if _log == "json" else "WARNING"}
            for name in ("rarrweb.requests", "rarrweb.tasks")
        },
    },
}
