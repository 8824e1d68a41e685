// SPDX-License-Identifier: MIT

extension StrictWords {
    /// Values that do not identify anyone: states, levels, kinds, units, words of protocols.
    static let valueWords = """
        true false null none undefined nan yes no on off ok okay enabled disabled default auto all
        any active inactive pending processing processed complete completed incomplete failed
        failure success successful succeeded error errors warning warn info debug trace notice
        critical fatal verbose open opened closed new draft published unpublished archived deleted
        removed created updated cancelled canceled approved rejected declined accepted refused
        denied expired valid invalid verified unverified confirmed unconfirmed paid unpaid
        refunded shipped delivered returned queued scheduled running started stopped paused
        resumed waiting ready done finished skipped passed blocked locked unlocked online offline
        available unavailable healthy unhealthy degraded up down in out low medium high normal
        urgent minor major public private internal external protected hidden visible read write
        readonly admin user guest member owner editor viewer anonymous unknown other asc desc
        ascending descending left right top bottom center middle north south east west small large
        dark light daily weekly monthly yearly hourly once never always free basic premium
        standard trial text number string boolean integer float double object array date datetime
        timestamp json xml html csv pdf image video audio file folder directory link email phone
        sms web mobile desktop tablet android ios linux windows macos production staging
        development testing sandbox live test local main master develop latest stable beta alpha
        get post put patch delete head options connect http https ws wss ftp tcp udp tls utf-8
        utf8 us-ascii iso-8859-1 ascii gzip deflate br zstd identity chunked compress keep-alive
        close upgrade websocket h2c h2 h3 no-cache no-store no-transform must-revalidate
        proxy-revalidate must-understand only-if-cached immutable max-age s-maxage max-stale
        min-fresh stale-while-revalidate stale-if-error includesubdomains preload nosniff deny
        sameorigin same-origin same-site cross-site cors no-cors navigate nested-navigate include
        omit strict lax secure httponly path domain expires samesite partitioned priority bytes
        origin no-referrer no-referrer-when-downgrade strict-origin
        strict-origin-when-cross-origin origin-when-cross-origin unsafe-url require-corp
        credentialless unsafe-none same-origin-allow-popups document script style font empty
        iframe manifest worker serviceworker sharedworker report track embed u i q charset
        boundary form-data name filename inline attachment timeout mode revoked stale hit miss
        bypass dynamic updating pass fwd stored ttl cache bearer digest negotiate ntlm token
        apikey realm oauth oauth2 aws4-hmac-sha256 nginx apache cloudflare express php python ruby
        java node gunicorn uvicorn werkzeug openresty litespeed iis caddy envoy istio-envoy
        varnish jetty tomcat kestrel microsoft-iis cowboy awselb amazons3 gws gse akamaighost
        ubuntu debian unix centos win64 trailers 100-continue 1.0 1.1 kg g mg km m cm mm mi ft lb
        oz c f celsius fahrenheit metric imperial ms sec min hour day week month year am pm utc
        gmt monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
        january february march july september october november december feb mar apr jun jul aug
        sep sept oct nov dec card cash credit debit invoice visa mastercard amex paypal sepa male
        female query mutation subscription __typename content-type content-length hs256 hs384
        hs512 rs256 rs384 rs512 es256 es384 es512 ps256 eddsa jwt sha1 sha256 sha384 sha512 md5
        aes authorization_code client_credentials refresh_token implicit password code id_token
        openid profile offline_access permessage-deflate client_max_window_bits
        server_max_window_bits client_no_context_takeover server_no_context_takeover graphql-ws
        graphql-transport-ws soap mqtt stomp wamp echo ping pong subscribe unsubscribe message
        event connection_init connection_ack start stop data next ack hello bye http/1.0 http/1.1
        http/2 http/2.0 http/3 tlsv1 tlsv1.1 tlsv1.2 tlsv1.3 ! - + * / % # @ ?
        """

    /// Currencies (ISO 4217), languages (ISO 639-1) with regions, and countries (ISO 3166-1).
    static let codeWords = """
        aed ars aud bgn brl cad chf clp cny cop czk dkk egp eur gbp hkd huf idr ils inr isk jpy
        krw kwd mad mxn myr nok nzd pen php pln qar ron rub sar sek sgd thb try twd uah usd vnd
        zar btc eth aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co
        cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha
        he hi ho hr ht hu hy ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks
        ku kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no
        nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
        sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur us uz ve vi vo wa
        wo xh yi yo za zh zu gb at cn cz dk gr in jp mx en-us en-gb en-ca en-au en-ie en-nz en-in
        de-de de-at de-ch fr-fr fr-ca fr-be fr-ch es-es es-mx es-ar es-419 it-it it-ch pt-br pt-pt
        nl-nl nl-be sv-se da-dk nb-no fi-fi pl-pl cs-cz hu-hu ro-ro ru-ru uk-ua tr-tr el-gr ja-jp
        ko-kr zh-cn zh-tw zh-hk zh-hans zh-hant ar-sa he-il hi-in th-th vi-vn id-id en_us en_gb
        de_de fr_fr es_es it_it pt_br ja_jp zh_cn
        """

    /// Media types, without parameters.
    static let mediaTypes = """
        */* application/* application/json application/xml application/x-www-form-urlencoded
        application/octet-stream application/javascript application/x-javascript
        application/ecmascript application/pdf application/zip application/gzip application/x-gzip
        application/zstd application/x-tar application/wasm application/graphql
        application/ld+json application/hal+json application/vnd.api+json application/problem+json
        application/problem+xml application/geo+json application/json-patch+json
        application/merge-patch+json application/manifest+json application/schema+json
        application/jose application/jwt application/x-ndjson application/ndjson application/jsonl
        application/json-seq application/activity+json application/reports+json
        application/csp-report application/soap+xml application/atom+xml application/rss+xml
        application/xhtml+xml application/xml-dtd application/xslt+xml application/yaml
        application/x-yaml application/toml application/sql application/http application/grpc
        application/grpc-web application/grpc-web+proto application/grpc-web-text
        application/grpc+proto application/x-protobuf application/protobuf
        application/vnd.google.protobuf application/msgpack application/x-msgpack application/cbor
        application/dns-message application/signed-exchange application/x-amz-json-1.0
        application/x-amz-json-1.1 application/vnd.github+json application/vnd.github.v3+json
        application/vnd.ms-excel application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
        application/vnd.openxmlformats-officedocument.wordprocessingml.document application/msword
        application/font-woff application/font-woff2 application/x-font-ttf
        application/vnd.apple.mpegurl application/dash+xml application/x-shockwave-flash
        application/x-x509-ca-cert application/ocsp-request application/ocsp-response
        application/sdp text/* text/plain text/html text/css text/csv text/xml text/javascript
        text/markdown text/calendar text/vcard text/event-stream text/tab-separated-values
        text/yaml text/vtt text/x-component text/x-json text/json text/ping image/* image/png
        image/jpeg image/jpg image/gif image/webp image/avif image/apng image/bmp image/svg+xml
        image/x-icon image/vnd.microsoft.icon image/tiff image/heic audio/* audio/mpeg audio/mp4
        audio/ogg audio/wav audio/webm audio/aac video/* video/mp4 video/webm video/ogg video/mpeg
        video/mp2t video/quicktime font/* font/woff font/woff2 font/ttf font/otf font/collection
        multipart/form-data multipart/mixed multipart/related multipart/alternative
        multipart/byteranges multipart/report multipart/x-mixed-replace message/http
        message/rfc822 message/global model/gltf+json model/gltf-binary
        http://www.w3.org/1999/xhtml http://www.w3.org/2000/svg http://www.w3.org/1999/xlink
        http://www.w3.org/2001/XMLSchema http://www.w3.org/2001/XMLSchema-instance
        http://www.w3.org/2005/Atom http://schemas.xmlsoap.org/soap/envelope/
        http://www.w3.org/2003/05/soap-envelope http://www.sitemaps.org/schemas/sitemap/0.9
        http://www.w3.org/2000/09/xmldsig# urn:oasis:names:tc:SAML:2.0:assertion
        urn:oasis:names:tc:SAML:2.0:protocol http://json-schema.org/draft-07/schema#
        https://schema.org
        """

    /// Words of prose, of reason phrases and of error messages.
    static let proseWords = """
        a an and are as at be been but by can could did do does for from had has have if in into
        is it its more not of on or our should than that the their then there these this to too
        was were while with without would you your please continue switching protocols early hints
        created accepted non-authoritative information content reset partial multi-status already
        reported multiple choices moved permanently found see other modified use proxy temporary
        redirect permanent bad request unauthorized payment required forbidden method allowed
        acceptable authentication timeout conflict gone length precondition large uri long
        unsupported media type range satisfiable expectation misdirected unprocessable entity
        locked dependency upgrade many requests header fields unavailable legal reasons server
        error implemented gateway service version supported variant also negotiates insufficient
        storage loop detected extended network reason connection refused host name resolution dns
        aborted stage peer handshake certificate verify response body headers expected end stream
        socket broken pipe route unreachable address lookup cancelled failed app malformed
        truncated limit exceeded invalid missing unexpected parse syntax input value key such file
        before after reading writing client upstream idle
        """
}
