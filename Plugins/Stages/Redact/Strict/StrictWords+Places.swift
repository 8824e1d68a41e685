// SPDX-License-Identifier: MIT

extension StrictWords {
    /// The words in path segments.
    static let routeWords = """
        about account accounts actions activate activities activity ad add address addresses admin
        alerts all analytics analyze api apis app apply approve apps archive article articles
        asset assets attachments audit auth authenticate authorize avatar avatars backup balance
        balances banner basket batch beacon beta billing blog board boards bookings branches
        brands browse build builds bulk bundle bundles cache calendar callback campaigns cancel
        card cards cart carts catalog catalogue categories category cgi change changes channels
        charges chart charts chat check checkout clear click client clients cloud cluster clusters
        collect collection collections comment comments commits common companies company complete
        completions config configuration configurations confirm connect connections console
        contact contacts content contents convert count countries country coupons create css csv
        current customer customers cxf daily dashboard dashboards data database debug default
        delete deliveries delivery demo deployments detail details dev device devices diff
        discount discover discovery dist docs document documents domain domains download downloads
        draft drafts edit email emails embed embeddings employees end endpoint endpoints engine
        entities env environment environments error errors estimate event events example exchange
        execute export exports external favicon favorites faq feature features feed feedback feeds
        fetch file files filter filters find fonts forgot form forms forum funds game games
        gateway generate get graph graphql group groups health healthcheck healthz help history
        home hook hooks icon icons id identity image images img import imports inbox index info
        init input install instances integrations internal introspect inventory invite invites
        invoice invoices issue issues item items job jobs js json keys label labels languages
        latest leads lib library license like likes limits link links list listings lists live
        load loan locale locales location locations lock log login logins logo logout logs lookup
        mail main manage manifest map maps media member members memberships menu message messages
        meta metadata metric metrics migrate mobile models module modules monitor my name names
        namespaces nav network new news newsletter next nodes note notes notifications notify
        oauth oauth2 object objects ocs odata offers office online open openapi openid options
        order orders organization organizations orgs output overview owa packages page pages panel
        partners parts password passwords patch path patients pay payment payments people
        performance permissions persons phone photo photos php ping pipeline pipelines pixel
        places plan plans platform play player plugins points policies policy poll polls portal
        post posts prefs preferences preview price prices pricing print privacy private probe
        process products product profile profiles program progress project projects promo
        promotions properties property provider providers proxy public publish pull purchase
        purchases push queries query queue queues quote quotes random ranking rate rates rating
        ratings reactions read ready recent recommendations record records redirect refresh refund
        refunds region regions register registration registry release releases reload remove
        render replies reply repo report reports repos repositories repository request requests
        reservations reset resource resources rest restore result results retry returns review
        reviews revoke role roles root route routes rpc rss rule rules run runs sale sales saml
        sample save scan schedule schedules schema schemas scim scope scopes score scores screen
        script scripts sdk search section sections security segment select send server servers
        service services session sessions set settings setup share shares shipments shipping shop
        shops show sign signin signout signup sitemap sites site skills snapshot snapshots soap
        social socket sources spaces sparql specs sso start stat state statement static statistics
        stats status step steps stock stop storage store stores stories story stream streams style
        styles stylesheets sub submit subscribe subscription subscriptions success suggest
        suggestions summary support survey sync system table tables tag tags task tasks tax taxes
        team teams telemetry template templates tenants terms test tests theme themes thread
        threads thumbnails tickets ticket tiles time timeline tmp token tokens tools top topics
        total totals trace traces track tracking transaction transactions transfer transfers
        translate translations tree trending trial trigger ui unsubscribe update updates upgrade
        upload uploads usage user userinfo users util utils validate validation value values
        variants vendor verify version versions video videos view views visit votes vouchers
        wallet wallets watch weather web webhook webhooks website well-known widget widgets wiki
        wishlist workers workflow workflows workspace workspaces ws www xmlrpc zones by to of for
        and in on me self v
        """

    /// File extensions, after the last point.
    static let fileEndings = """
        html htm css js mjs cjs map json xml txt csv png jpg jpeg gif svg webp avif ico woff woff2
        ttf eot pdf zip gz mp3 mp4 webm php asp aspx jsp do wasm yaml yml md rss atom webmanifest
        """

    /// Registered methods (RFC 9110 §16.1 and the registry).
    static let methods = """
        GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH ACL BASELINE-CONTROL BIND CHECKIN
        CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF MKWORKSPACE
        MOVE ORDERPATCH PRI PROPFIND PROPPATCH QUERY REBIND REPORT SEARCH UNBIND UNCHECKOUT UNLINK
        UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL
        """

    /// Parts of the names of cipher suites (RFC 8446 appendix B.4 and the registry).
    static let cipherWords = """
        TLS SSL AES AES128 AES256 128 256 GCM CCM CCM8 8 CBC CBC3 SHA SHA1 SHA256 SHA384 CHACHA20
        POLY1305 ECDHE ECDH DHE DH RSA ECDSA PSK WITH ARIA128 ARIA256 ARIA CAMELLIA CAMELLIA128
        CAMELLIA256 DES 3DES EDE EDE3 SRP ANON NULL MD5 RC4 EMPTY RENEGOTIATION INFO SCSV
        """

    /// Field names that do not identify the sender.
    static let fieldNames = """
        accept accept-ch accept-charset accept-encoding accept-language accept-patch accept-post
        accept-ranges access-control-allow-credentials access-control-allow-headers
        access-control-allow-methods access-control-allow-origin access-control-expose-headers
        access-control-max-age access-control-request-headers access-control-request-method
        access-control-request-private-network age allow alt-svc alt-used apikey api-key
        authorization authentication-info auth-token baggage b3 cache-control cache-status
        cdn-cache-control cf-cache-status cf-connecting-ip cf-ipcountry cf-ray cf-request-id
        clear-site-data connection content-disposition content-digest content-encoding
        content-language content-length content-location content-md5 content-range
        content-security-policy content-security-policy-report-only content-transfer-encoding
        content-type cookie cookie2 critical-ch cross-origin-embedder-policy
        cross-origin-opener-policy cross-origin-resource-policy csrf-token date deprecation depth
        destination device-memory digest dnt downlink dpop dpr early-data ect etag expect
        expect-ct expires fastly-client-ip forwarded from front-end-https grpc-accept-encoding
        grpc-encoding grpc-message grpc-status grpc-timeout host http2-settings idempotency-key if
        if-match if-modified-since if-none-match if-range if-unmodified-since keep-alive
        last-event-id last-modified link location max-forwards mime-version nel origin
        origin-agent-cluster p3p permissions-policy ping-from ping-to pragma prefer
        preference-applied priority private-token proxy-authenticate proxy-authentication-info
        proxy-authorization proxy-connection public-key-pins purpose range ratelimit-limit
        ratelimit-policy ratelimit-remaining ratelimit-reset referer referrer referrer-policy
        refresh report-to reporting-endpoints retry-after rtt save-data sec-ch-ua sec-ch-ua-arch
        sec-ch-ua-bitness sec-ch-ua-full-version sec-ch-ua-full-version-list sec-ch-ua-mobile
        sec-ch-ua-model sec-ch-ua-platform sec-ch-ua-platform-version sec-fetch-dest
        sec-fetch-mode sec-fetch-site sec-fetch-user sec-gpc sec-purpose sec-websocket-accept
        sec-websocket-extensions sec-websocket-key sec-websocket-protocol sec-websocket-version
        server server-timing service-worker-allowed service-worker-navigation-preload set-cookie
        set-cookie2 signature signature-input soapaction sourcemap strict-transport-security
        sunset surrogate-control surrogate-key te timing-allow-origin tk token traceparent
        tracestate trailer transfer-encoding true-client-ip upgrade upgrade-insecure-requests
        user-agent vary via viewport-width want-content-digest want-digest warning width
        www-authenticate x-accel-buffering x-access-token x-amz-cf-id x-amz-cf-pop x-amz-date
        x-amz-content-sha256 x-amz-request-id x-amz-id-2 x-amz-security-token x-amzn-requestid
        x-amzn-trace-id x-api-key x-api-token x-api-version x-application-context x-aspnet-version
        x-aspnetmvc-version x-auth x-auth-key x-auth-token x-azure-ref x-b3-flags
        x-b3-parentspanid x-b3-sampled x-b3-spanid x-b3-traceid x-cache x-cache-hits x-cdn
        x-client-id x-client-secret x-client-version x-cloud-trace-context x-content-duration
        x-content-security-policy x-content-type-options x-correlation-id x-csrf-token x-debug
        x-dns-prefetch-control x-download-options x-drupal-cache x-edge-location
        x-envoy-upstream-service-time x-fb-debug x-forwarded-client-cert x-forwarded-for
        x-forwarded-host x-forwarded-port x-forwarded-proto x-forwarded-server x-frame-options
        x-generator x-github-request-id x-gitlab-token x-goog-api-key x-http-method
        x-http-method-override x-hub-signature x-hub-signature-256 x-id-token x-instance-id
        x-litespeed-cache x-ms-request-id x-ms-version x-nextjs-cache x-oss-request-id
        x-original-host x-original-url x-password x-permitted-cross-domain-policies x-pingback
        x-powered-by x-process-time x-proxy-cache x-rate-limit-limit x-rate-limit-remaining
        x-rate-limit-reset x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset
        x-ratelimit-resource x-ratelimit-used x-real-ip x-redirect-by x-refresh-token x-request-id
        x-request-start x-requested-with x-response-time x-rewrite-url x-robots-tag x-runtime
        x-secret x-served-by x-session x-session-id x-session-token x-shopify-stage x-sid x-source
        x-timer x-token x-trace-id x-transaction-id x-ua-compatible x-url x-user-agent x-user-id
        x-varnish x-vault-token x-vcap-request-id x-vercel-cache x-vercel-id x-version x-wp-total
        x-wp-totalpages x-xsrf-token x-xss-protection xsrf-token :method :path :scheme :authority
        :status :protocol
        """
}
