// SPDX-License-Identifier: MIT

extension StrictWords {
    /// The words in names of members, parameters, elements and attributes.
    ///
    /// Names of people are excluded unless they are also common in interfaces (`grant`, `mark`).
    static let nameWords = """
        a abbr abort about above abs absolute accept accepted access account accounts accuracy ack
        acl action actions activate activated activation active activity actor actual ad add added
        addition additional addr address addresses addressable adjusted admin admins ads advance
        affected affiliate after agent agents aggregate aggregated aggregation aggregations
        agreement alert alerts algorithm alg alias aliases align all allocation allow allowed
        alpha alt alternate alternative altitude always amount amounts analytics anchor android
        angle animation annotation annotations anonymous answer answers any api apikey apis app
        append application applications applied apply approval approve approved apps arch archive
        archived area areas arg args argument arguments array arrival article articles as asc
        aside asp aspect assert assertion asset assets assign assigned assignee assignees
        associated async at atom attach attached attachment attachments attempt attempts attr
        attribute attributes attrs aud audience audio audit aug auth authenticate authenticated
        authentication authenticity author authority authorization authorize authorized authors
        auto autocomplete automatic availability available avatar average avg aws axis b back
        backend background backup bad badge badges balance balances band bandwidth bank banner bar
        barcode base based basic basket batch bcc bearer before begin beginning behavior beta bill
        billing bin binary bio birth birthdate birthday bit bitrate bits blob block blocked blocks
        blog board boards body bold book booking bookmark bool boolean boost border bot bottom
        boundary box branch branches brand brands breakdown brief brightness broadcast browser
        browsers bucket buckets budget buffer bug build builder builds bulk bundle business button
        buttons buy buyer by byte bytes c ca cache cached calendar call callback calls camera
        campaign campaigns can cancel canceled cancelled cap capability capabilities capacity
        caption capture captured card cards carrier cart carts case cases cash cast catalog
        catalogue categories category cause cc cell cells center cents cert certificate
        certificates chain change changed changes channel channels chapter char character
        characters charge charged charges charset chart chat chats check checkbox checked checkout
        checks checksum child children choice choices chunk chunks cipher circle cities city claim
        claims class classes classification clean clear click clicked clicks client clients clock
        close closed closing cloud cluster clusters cm cname cnf code codec codes col
        collaborators collapse collapsed collection collections color colors colour column columns
        com combo command commands comment comments commerce commit commits common community
        companies company compare comparison compatibility complete completed completion
        completions component components compressed compression compute computed concurrency
        condition conditions conf confidence config configuration configurations confirm
        confirmation confirmed conflict connect connected connection connections connector consent
        console constraint constraints consumed consumer contact contacts contain container
        containers contains content contents context contexts continent continuation contract
        contracts contribution contributors control controller controls conversation conversations
        conversion convert cookie cookies coord coordinate coordinates copy copyright core correct
        correction correlation cost costs count counter counters countries country counts county
        coupon coupons course courses cover coverage cpu create created creates creating creation
        creator creators credential credentials credit credits criteria critical cron cross csp
        csrf css csv ct cup currencies currency current cursor cursors custom customer customers
        cut cv cvc cvv cwd cycle d daily dark dash dashboard data database databases dataset date
        dates datetime day days db dd de dead deadline deals debit debug dec decimal decimals
        decision declined decode deep def default defaults defined definition definitions deg
        degree delay delete deleted deletes deletion delivered deliveries delivery delta demand
        denied density department depart departure dependencies dependency deploy deployed
        deployment deployments deposit deprecated depth desc description descriptions descriptor
        design desktop dest destination destinations detail detailed details detect detected
        detection dev developer developers development device devices diagnostic diagnostics
        dialog diff difference digest digit digits dim dimension dimensions dir direct direction
        directions directory disabled discount discounts discovery discussion disk dispatch
        display displayed dispute distance distinct distribution district div dl dns do doc docs
        document documentation documents dom domain domains done double down download downloaded
        downloads draft drafts drag driver drivers drop dropped dry dst dt due dump duplicate
        duration durations dynamic e each earliest early east ecosystem edge edges edit editable
        edited editor edition education effect effective effects elapsed element elements eligible
        em email emails embed embedded emoji employee employees employer empty en enable enabled
        encode encoded encoding encrypt encrypted encryption end ended endpoint endpoints ends
        energy engine engines enter enterprise entities entitlement entity entries entry enum env
        environment environments eof epoch equal err error errors escape estimate estimated
        estimates eta etag etc eval evaluation event events evt exact exam example examples except
        exception exceptions exchange exclude excluded exec executable execute executed execution
        executor exit exists exp expand expanded expect expected expense experience experiment
        experiments expiration expire expired expires expiry export exported exports expr
        expression ext extend extended extends extension extensions extent external extra extras f
        face facet facets factor factors fail failed failing fails failure failures fallback false
        family fan faq fast fatal fault favicon favorite favorites fax feature featured features
        fee feed feedback feeds fees fetch fetched field fields figure file filename files
        filesize fill filter filtered filters final finance financial find fingerprint finish
        finished firewall first fiscal fit fix fixed flag flags flat flex flight float floor flow
        flows fmt focus folder folders follow followed followers following font fonts food footer
        footprint for force foreground foreign fork forks form format formats formatted formatter
        forms formula forum forward forwarded found fps fraction fragment frame framework frames
        free frequency friend friends from front full fullname fully func function functions fund
        funding future g gallery game games gap gas gateway gb gclid gender gen general generate
        generated generation generator generic geo geocode geography geometry get getter gid gift
        git given global go goal goals good google goods grade grand grant granted grants graph
        graphql grid gross ground group grouping groups growth gt guest guests guid guide h handle
        handled handler handlers hash hashes hashtag hashtags has have head header headers heading
        headings headline health healthy heap height held help helper here hex hidden hide
        hierarchy high highest highlight highlights hint hints history hit hits hold holder
        holders home homepage hook hooks horizontal host hosted hosting hostname hosts hot hotel
        hour hourly hours hover href hreflang hsl html http httponly https hub human humidity
        hydra i iat iban icon icons id ideal identical identification identifier identifiers
        identity idle ids idx if iframe ignore ignored image images img immutable impact import
        important imported impression impressions in inactive inbound inbox incident incidents
        include included includes income incoming incomplete increment index indexed indexes
        indicator indices industry info information infrastructure inherit init initial
        initialized initials initiator inline inner input inputs insert inserted insights inspect
        install installation installations installed instance instances instant instruction
        instructions instrument insurance int integer integration integrations integrity intent
        interaction interactive interest interests interface interfaces interim internal
        international internet interval intervals into introspection invalid inventory investment
        invitation invitations invite invited invoice invoices ios ip ips ipv is isbn iso iss
        issue issued issuer issues it item items iteration itemprop itemscope itemtype iv jar job
        jobs join joined journal js json jsonp jsonrpc jti jump just jwk jwks jwt k kb keep kept
        kernel key keyboard keycode keys keyword keywords kid kilometers kind kinds km known kty l
        lab label labels lambda land landing lane lang language languages large last lastname
        firstname lat latency latest latitude launch layer layers layout lazy lbl lead leader
        leads leaf learn lease least leave ledger left legal legend len length less lesson level
        levels li lib libraries library license licenses life lifecycle lifetime light like likes
        limit limited limits line linear lines link linked links list listed listen listing
        listings lists literal live lng load loaded loader loading loan local locale locales
        localized location locations lock locked log logged logger logging login logins logo logos
        logout logs lon long longitude lookup loop lost lot low lower lowest lt lvl m mac machine
        macro mail mailbox mailing main maintenance major make manage managed management manager
        managers mandatory manifest manual manufacturer map mapped mapper mapping mappings maps
        margin marker markers market marketing markets markup mask master match matched matches
        matching material math matrix max maximum maxlength mb mean measure measured measurement
        measurements measures media median medium meeting member members membership memo memory
        mention mentions menu menus merchant merge merged mesh message messages messaging meta
        metadata meter meters method methods metric metrics mfa micro middle migration mime min
        mini minimum minlength minor minute minutes mirror misc missing mkt mm mobile mock mod
        modal mode model models moderation modern modified modifier modifiers modify module
        modules mon monitor monitoring month monthly months more most motion mount mouse move
        moved movie mp ms msg msgs mtime multi multiple music mute muted my n name named names
        namespace namespaces national native nav navigation near need needed negative nested net
        network networks new newest news newsletter next nice nick nickname night no node nodes
        nofollow noindex nominal nonce none noopener noreferrer normal normalized north not note
        notes nothing notice notification notifications notify ns null num number numbers numeric
        nullable o oauth obj object objects observation occupation occurred occurrence of off
        offer offers office offline offset offsets ok ol old older oldest on once one ongoing
        online only op opacity open opened openid opening operating operation operational
        operations operator operators opt optimization optimize optimized option optional options
        or order ordered ordering orders org organisation organization organizations organizer
        orientation orig origin original originator os other others otp out outbound outcome outer
        outgoing output outputs outside over overall overflow overlay override overrides overview
        own owned owner owners ownership p pack package packages packet packets pad padding page
        pages pageview pagination paid pair pairs palette panel paper para paragraph parallel
        param parameter parameters params parcel parent parents parse parsed parser part partial
        participant participants participation parties partition partner partners parts party pass
        passcode passed passenger passengers passphrase passport passwd password past patch path
        paths patient patients pattern patterns pause paused pay payable payer payload payment
        payments payout payouts payroll peak peer pending people per percent percentage percentile
        perf performance performed period periods permalink permanent permission permissions
        permit permitted persist persistent person personal persons phase phone phones photo
        photos physical pic pick picker picture pid pin ping pinned pipeline pipelines pixel
        pixels pkg place placed placeholder placement places plain plan plans plant platform
        platforms play player players playlist plugin plugins plus pod pods point pointer points
        policies policy poll polling pool popular popularity population popup port portal
        portfolio ports pos position positions positive possible post postal postcode poster posts
        power practice pre precision prediction predictions preferences preferred prefix preload
        premium prepared presence present presentation preset pressure prev preview previous price
        prices pricing primary principal print printer prior priorities priority privacy private
        privileges prob probability problem problems process processed processes processing
        processor prod produce producer product production products profile profiles profit
        program programs progress project projects prompt promo promotion promotions proof prop
        properties property props protected protocol protocols provider providers province
        provision proxies proxy pub public publication publications publish published publisher
        pull purchase purchased purchases purpose purposes push pushed put pwd px q qty quality
        quantity quarter queries query question questions queue queued queues quick quiet quiz
        quota quotas quote quoted quotes r radio radius raise ram random range ranges rank ranked
        ranking rankings rate rated rates rating ratings ratio raw reach reached react reaction
        reactions read readable reader readers reading readings readonly ready real realm realtime
        reason reasons rec recall receipt receipts receive received receiver recent recipe
        recipient recipients recommendation recommendations recommended record recorded recording
        records recover recovery recurrence recurring redeem redirect redirects reduce ref refer
        reference referenced references referer referral referrer refresh refund refunded refunds
        refused region regional regions register registered registration registry regular reject
        rejected rejection rel related relation relations relationship relationships relative
        release released releases relevance relevant reload remaining remark remarks remember
        reminder reminders remote removal remove removed rename render rendered rendering rent
        rental reopen repeat replace replaced replacement replica replicas replied replies reply
        repo report reported reporter reporting reports repositories repository represent req
        request requested requester requests require required requirement requirements requires
        res reservation reservations reserve reserved reset residence resolution resolve resolved
        resource resources resp respond response responses responsible rest restart restaurant
        restore restored restrict restricted restriction restrictions result results resume retail
        retention retries retry return returned returning returns revenue reverse reverted review
        reviewed reviewer reviewers reviews revision revisions revoke revoked reward rewards rgb
        rich right rights risk road role roles rollback room rooms root rotate rotation round
        rounded route router routes routing row rows rpc rss rtl rule rules run runner running
        runs runtime s safe sale sales saml sample samples sampling sandbox sat saturation save
        saved scale scaled scan scanned scene schedule scheduled scheduler schedules schema
        schemas scheme scope scopes score scores screen screens screenshot script scripts scroll
        sdk sealed search searches season sec second secondary seconds secret secrets section
        sections sector secure security seed seen segment segments select selected selection
        selector self sell seller semantic send sender sending sensitive sensor sensors sent
        sentiment seo separator seq sequence serial series server servers service services serving
        session sessions set sets setting settings setup severity sex sha shadow shape shard
        shards share shared shares sharing sheet shell shift ship shipment shipments shipped
        shipping shop shops short should show shown shows sibling sid side sig sign signal signals
        signature signatures signed signin signup silent similar similarity simple since single
        site sites size sizes skill skills skip skipped sku sla sleep slide slides slot slots slow
        slug small smart sms smtp snap snapshot snapshots snippet snippets social socket software
        sold sort sorted sorting sound source sources south space spaces spam span spec special
        specification specified specs speed spend spent split sponsor spot sprint sql src srcset
        ssh ssid ssl ssn sso stack staff stage stages staging standard star starred stars start
        started starting starts stat state statement statements states static station stations
        statistics stats status statuses std step steps sticky still stock stop stopped stops
        storage store stored stores storefront story stories str strategy stream streaming streams
        street strength strict string strings strip strong structure student students style styles
        stylesheet sub subcategory subject subjects submission submissions submit submitted subnet
        subscribe subscribed subscriber subscribers subscription subscriptions subset subtitle
        subtotal subtype success successful suffix suggest suggestion suggestions suite sum
        summaries summary super supplier suppliers supply support supported surcharge surface
        surname survey suspended svg switch symbol symbols sync synced syntax system systems t tab
        tabindex table tables tabs tag tagged tagline tags target targets targeting task tasks tax
        taxable taxes taxonomy tb tbody td team teams tech technical technology tel telemetry
        telephone temp temperature template templates temporary tenant tenants tenure term
        terminal terms test tested testing tests text texts textarea tfoot th than thanks the
        thead theme themes thread threads threshold throttle thumb thumbnail thumbnails ticket
        tickets tier tiers tile tiles time timed timeline timeout timer times timestamp timestamps
        timezone timing timings tip tips title titles tls tm tmp to today todo toggle token
        tokenizer tokens tool tools tooltip top topic topics tos total totals touch tour tr trace
        traceparent traces track tracked tracker tracking tracks trade trades traffic trailer
        train training transaction transactions transcript transfer transfers transform transient
        transit transition transitions translate translated translation translations transport
        trash travel tree trend trending trends trial trigger triggered triggers trip trips true
        truncated trust trusted try ts ttl turn tv tweet tx txn txt type typed types typename tz u
        ui uid uids ul unauthorized unavailable under undo uniq unique unit units universe unix
        unknown unlimited unlock unlocked unread unsigned unsubscribe untrusted until unused up
        update updated updater updates upgrade upload uploaded uploader uploads upper uptime
        upstream uri uris url urls usage use used user userid username users uses using usr utc
        utf utm uuid uv v val valid validate validated validation validator validity value values
        van var variable variables variance variant variants variation vary vat vault vector
        vehicle vehicles vendor vendors venue ver verb verbose verification verified verifier
        verify version versions vertical via video videos view viewed viewer viewers viewport
        views virtual visibility visible visit visited visitor visitors visits visual vm voice
        void volume volumes vote voted votes voucher w wait waiting wallet wallets want warehouse
        warn warning warnings warranty watch watched watchers water weather web webhook webhooks
        webp website websites wed week weekday weekly weeks weight weights welcome west when where
        which while white who whole why widget widgets width wifi wiki wikipedia win wind window
        windows winner wire wish wishlist with without word words work worker workers workflow
        workflows working workspace workspaces world wrap write writer writers written wrong ws x
        xhr xid xml xmlns xpath xsi xsl xsrf y year yearly years yes yield your z zip zipcode zone
        zones zoom redacted pseudonyms phpsessid jsessionid sessid csrftoken csrfmiddlewaretoken totp hmac nbf azp amr
        acr utma utmb utmz gclsrc fbclid msclkid dnt ua cid rid tid aid bid did eid fid qid vid
        wid hid iid lid mid nid oid zid sn sr lc mc tt nw dc rc pc fc ac sc
        """

    /// Names of HTML and SVG elements, attributes and XML vocabularies that are not among the words
    /// of names.
    static let markupWords = """
        a abbr accesskey acronym applet aria autofocus autoplay b base bdi bdo bgcolor blockquote
        br canvas cellpadding cellspacing center charset cite circle clippath cols colgroup
        colspan contenteditable contextmenu controls crossorigin datalist datetime dd defer defs
        del desc describedby details dfn dialog dir div dl doctype dt ellipse em enctype
        enterkeyhint expanded fieldset figcaption figure font footer frameborder g h haspopup
        headers hgroup hr hreflang html http-equiv i iframe img inputmode ins integrity ismap kbd
        labelledby li line linearGradient link longdesc loop main map marginheight marginwidth
        mark maxlength media menuitem meta minlength nav nomodule nonce noscript novalidate object
        ol onclick onload optgroup p param path picture polygon polyline poster pre
        preserveAspectRatio progress q radialGradient readonly rect rel reversed rows rowspan rp
        rt ruby s samp sandbox scope scoped section select shape sizes small spellcheck srcdoc
        srclang stop strike strong stroke style sub sup svg symbol tabindex template textpath
        tfoot thead time tr transform translate tspan tt u ul use usemap valign var vbox viewbox
        wbr width xlink xmlns xsd xsi soap soapenv env envelope wsse wsu wsdl saml samlp ds rss
        channel atom feed sitemap urlset loc lastmod changefreq priority plist dict array string
        integer real true false encoding standalone cdata xsl
        """
}
