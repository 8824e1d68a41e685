// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/page.

extension PageFiles {
    static let part2 = [
        PageFile(name: "icon.svg", type: "image/svg+xml", content: """
            H4sIAAAAAAACAz2OzQ6CMBCE7z7FZj1LC4gxhnLwzkOgdGljpaSslMe3xJ9kDjOTbydbz8sA69ONs0LDPF2EiDFmscx8\
            GEQhpRSJQFisjle/KpQgIT8lYVMHfWeItmejMBVgtB0Mf3xI7BGBrHMK9zlVdCMUTT11bKBX2JZQZZXJZXvezJJOZg7+\
            oRNNRL90+M4X/8LZUd+7SWHwr7HfJrcPm90bd4FpoMoAAAA=
            """),
        PageFile(name: "index.html", type: "text/html; charset=utf-8", content: """
            H4sIAAAAAAACA5VUS2/bMAy+91eo2nFz3AAd0A1xTrt06IABzWFXRqJjLrJkSEza/PtRkZ0m6HLoxZb4+MiPDy1ubTB8\
            GFB13LvlzeK2qtTz7x9/qicy6BNWjxY9U0sYv6tfjytVVWKVjZUDv2k0ep0FCFZ+PTIo00FMyI3ecVs9ZC0TO1yuYHDk\
            cVGX62jtocdG7wlfhhBZKxM8S8RGv5DlrrG4l0Sq4+WLIk9M4KpkwGEz15cgJrgQRddhj2dAjjYdKwtxm+2TiTSwypwb\
            3Qe7c2IL6eCNStE0ur6z9+u7O/uA8PW+/fZga4ToDrO/SasW2XRDpBCJD43uBFgvF3WBFGyht1URXaNJomvVRWz/h5i1\
            s7Tf6DEN6mGDtQg+v/ZOXwAlPjhMHSJfhxvEe2ZSukrvCrHEEPlIbO2C2VJuZ0RvMV6wYuwHB4yKbNYn/niGVppEbsrx\
            Y75oid97FmqDnAPY6849kM8MxbeeeOTzOK/rYA/yk5l1kJLks6VhAvu0iWT1chUUd6gcJV7UMI46xsmDw3Cc//kkWEfw\
            4iaYI0ydXfWSp+kHqW03z60awJ8Cc4jSqFzhcswNEH0uv4y7jKDpRPR2vll42Bd7E1E2VYY4ElQO1rk8z6NQfMRuYowx\
            L4yU5OiYD1r2gqEqGHlVSnclTgsGOZWY41lSRsMUTlnLC8E57fPIT28QTD1mzgXkdLtZWNpPENIRk9mKQQ5eTMspW+U8\
            862SWWWJ1JGV90isRDl+hduY1vsECy99VqcJQjGsSUb9tdHV/FjtE4YkUOb1LdpJlKPlusm/DYFlDkrLgHfHYhfhSDGr\
            wPuw80ZWSsUgb9aZbUneh3HRVjJl5NMgeYSoPKJN6ifs4fmonkkjw2kl63Fw6/Jq/wNQOIjtxgUAAA==
            """),
        PageFile(name: "json-tree.js", type: "text/javascript; charset=utf-8", content: """
            H4sIAAAAAAACA51Z63LbuBX+r6eA2XSXTCjG7sz2hxVFTbOZprvOZZps/2g0Y0iEJMYUwSUhyxpHM32aPlifpOcCkKAk\
            y25nMrEE4NzP+XAOlK1KXRlxL56tayV2Yl7plQiSlyuZFcm3Ohj0ejNd1HhCFoVeFzMVi+naGF3EYqbLbSyWsahUmcsZ\
            0g+JURikeoXk0aAhnwGxifmPSr2jc12tpKnt8cwpNFtmeVopEFNKs/yq7oC4nslcVrHYVJnxtf1Wa6utJX8uZC2+bUx7\
            YmM6B+5FVn+Q9Q1p0hit6louVM0nWfG373/7+CvoenF+7pY+fX73EVf+1Kxcffr4N1j5c3smqz9LUN7AaljoVEVi+LrH\
            H5ObrEjFcDgUgZ5+UzMTiB9+ELQDBFUG8nNVLMxSvBbnkfj+/ZBOVpXctmTgjFWHaNBTd2TmHAJmMl2IWslqtgwrrcGN\
            G4khiMVK14ZNAzn3PcGqG3A1rPKhxOgrvVHVWwmhAr72zByiCLqI8aRZ2sjMZMUCF8csZjyZ4PYGAqlEaPedmqA7MXHf\
            X5E2pIZlOEbbOPoT4Pry+XPxF7Mtlbgf/1Jj+n3GnZ14/rJlXuoyjFBNy6OQKwW0SKbnxCqRJuxfROzHGtxdLAIxEl/o\
            U+idiMSlCIKW1a3M18jLRdaGdQSH4ORegFrGtMG0lzZ/mRI5Z3MILajY9XKSFbN8nao6xFBgBrDwk6fYc9an5bpeki0k\
            ZdfD9UqE1q+1UWXM9TUR4JZxkiSu2li3SVKpW1WhGMu3cTByHtPpmAhRChQmsJxMnDT4VymzrgpWZ9Db9Wa5rGvxtVIK\
            +alcrbg4lmGwzoMY6x1PgMsNnIGFSueq/QYZn8l+LqcqD2D1ly+fPgZih/L+MF2nC4WssCxdNlbrmdEVpTsbYJZZneBX\
            OIh/Bm7NqpLIslRFGtIa1lPocjgWwE1xUnUofl+ravsFvpGoIM+CaJTUyrwxEHyASIA2I6eQEuoOLTgPDlnINH13Cx+u\
            MnBgoYDLjdqmelMAQahwB3GDaWDHLj2Fz1zP1nW2x4ciafEJTOwW1TvmxfVENImRFbg2Sma5rlVt2MYBp1mTTjpPMYke\
            ds2bPA+DsXPF8MfzHyeBSyukPuGz/oWVhylMOj/Bw5QWQEBRbDEkFhoi7AMMJi34wKv5ttrzrFCcnml228lP5Ghzr+vL\
            JfkHj3q5i3uw5tS8FP0L0DSVRvZRLiSzu924XsUuJtke+9JdJF3kcfjB2xFRuSwGVepSFt262kByNKW0zNJUFQFpuSZ7\
            GobkljNAMShdNQeuqQ2WL4GCd0SMRVp2LSJhsV5NVYVIGHCgEFYR8wI01cIuHo+imJiiTvSpwS5frnXGiPOtXq9Wstpa\
            KL7kRcJKXiIW+2ovWXmrOn32vKR1XqNqtM6NThhQqKCUqIqw6wm7UYvFNf7FrUyll+LZfXd/dw1HOOG7qUBLu6gjjY8F\
            ZIbVz5f8tJuGOiR2Qmx5We0CKw2M9lVxJvMu/d9kxJnLMYvqmNStZw+wZ5Zns5sjyEOsOtAiMkhwCT0lpMz7rx+u/koe\
            sEgUYY9wBqcYSKCLCQFgjbY500AIBd3oxSJXIWrWIoZfpItKr8vOhWOrlDZcQSO9yxXaoFUPJWWxZYQkSck8y3Ns8VqY\
            xhUmjYUPPuctarsrqz8U3WvX9kLNQYA6ksPQhe7o0L+2TLtRAcMf0gH7XB8AJSnf1WHwSLMANEkNAVYhcmOe4gW3yS4k\
            JPrwRj3eNfj3665RrVLUmqI02yD2WVSfRbnUpHOvhtgosxvaiK90xRCOKhE09yjrbdwLXShX6Lbyrp/d03gSfsArYZUV\
            xD52xu2YJTjBnWvVgxJ3+MBZiUehi1rpW+6bXaKeik3jR85gH72RXWCRgrY7PsZde+t1IfHeNZnH5gcbLZs+x+4MYEYw\
            fT12Jqs0PBg5AGDomgMHTa734ohIX0MUHhh8Rt25ZyXLMBwjzYRciZ8Q12nMaBXtdeH7QF9cvIaR9p6k23Q9j8VPUfJN\
            Q1TxFox2bruZm37CSyoW//nXv+mSCnYCgmr9DRZ594pXQ3ZaehCVsVVN+Gs2t+hNnKKH5oHjnKD43cTqM3k8hiuioTAa\
            GqLx0AoyF0/BojuwX4FG3wDmnLAMR2o6tGdUsc7ztgrrJbSzOIIRuwN/0HLCKtANDip6xGAMY/a+Wa1WYALJaMOM07jX\
            ztCmmzKHvNvxmlPNE4NM4WPXWY1Ll1lhyKEBkQY0K+L5rgctADlwgbxqgKOjVJ91YnjpwggyTdAnbzXUHnWBREoAcQAx\
            RxGjUzmHBvrQ0blu/CS319zpe9A53N1VuGYd/egF6nKGr64mE+k67jb81L2qO9A9haRtOkjS2Nrh9wLt8NdaR1wXJ7hG\
            1P5yZ2x54jwsc9ujI89cHRuisImx7Yv4TlaxsZ3paJ5VtbGn3uKd2F66yDVVJSTFUFwMWAC4kpde2VnFdgl29QWctG7e\
            s5Pu1UE78/GLjp14mua0rRviF/kUrmk6bmEbxwRy7tAiNmkwcI3a3tMRtAF8ibkGZAKegcuM+wR+MCMy/LrfKTong3No\
            P8GRCkynzoKQiq3lnpbv36eHi3UcjWjJUvs1zYo9gREbuPdScFlDJ67gwskz+C+hQo2cjnP2KD76nFFtimml5M2gbSqo\
            vQ69LvdYC9i+FnhlzA7oPU31/+NpoB0YnAn/Q7O/375Rh3FK27F9+8NEeuT1Ic/G2PUN3UQ+CaJJRB5FADIwtITQDRLs\
            wt9Ez+eQSjxseyOEpCGcGh8amz7N23nDvoWUdGU+DjADiyCFve7QaewrCBxftG+qSm9+xregiI452WNQ44W4oI5I5bV6\
            kPa38ghl/xHK9xom8z2y85MU74p0j8B7TDmp4D+yxdK4LrS5OWh/LoEQth5ENGL8kFt2p+VeqfkDYhnx96WSMsfFJjwZ\
            24wcHb6U7U74zeC7SFMkzYZA3RrFoiPzLZX8Q3xn1Cue8erMVPmvsNOurJSRsBK5x8Byywjewc8RvmofPmocHNxd+0a2\
            Fcyiyor+/qzmcp0bRizeqY0uP1e6lAvJcz1uoVtHCT1chnzr7g5+xsAfevARuX3Ztc0qPixDG6E2ot0GHlhjy8zU7qcK\
            /E5l3L9ofrjgn66GxwcgPTe2ieq8GfroyC9chEXTbdO6EQyiaDcgeu4hDUJK2OkW/usc+6P/dW8ad2+tYOIJtEuAAfak\
            +LZKhuDTjGsUA9o8eLwklrbJQflQThNMg/GkeRcZHTYuI4+/TFOPuX2rnQHs5n8vjP5npjbhvZjmenaDw7eSOFq3/SkF\
            IaT/Ie+a+ZpqGjpjb+b2ncX5t2uiM9V3HMisKNf42EndH0QJQ0m/gNHESGKW4B5VwcYX2oDbiWYTOrD3c8PhCVIbpB15\
            /XKi2y7eJiAe54e4UffnuGajHXXbHN33TcsFa9pzBg6vhbb9FQ+w5FvM2JDQ+ITSR392uD+4mM5a4IqeVO4k3Nb8Mpsb\
            xKIRvjZeCr4g3I/KbF5n1CEQavTea2Gbt3AGgtGxl3rsJmlMA5tjDro3n7Yz0T4dggzRud9J/XqL8Nes/wLDuj67Nh8A\
            AA==
            """),
        PageFile(name: "json.js", type: "text/javascript; charset=utf-8", content: """
            H4sIAAAAAAACA61XbW/bNhD+nl9x5Yxaih0nKfZl9lIv2wKsQ5cVbYcBk9VZkeharUIZFD3HUwTs1+yH7ZfsyKNkypaL\
            YlhgwBF5L88996LzSZyLQsH3N6/e/gBX8OXFxeSEjm5/+enbm9d4dn429abji8fg8uyrcJac+vg0G82Sga/PA34TBoOz\
            cGoOzre1+ptX19/daO0AZmomZyI83V2+enn94tZcvmOz2Wx9gX9n+utyYcWyqCjgNY8SLqE8gUihNEIDoy/Xscqlp/iD\
            8vUtqGVajPQjSukvFKxO4D5S8dJbRUpxKUjQPozQvHohEv6gFbRypHXIOizytUjwohbmDzz2Ghf+dBRchDCdAmOT2jfi\
            G1yR4ijj4r1a6ivJ1VoKOiZIiyjNvM0yanDLfAOCb+DNVqjo4UZKjGveK7VIpaOOl5GMYoQBvdJ6quY+GfsjytbcS/hK\
            LclcugB6hOeUUZ/QGa9M8ELxBFSeQ8L5Ktsyv8FPVJmcmcNik+IB7KIOrPOQPEEcFRxYycb6oQ7UyOR3H3isLKzJTjbo\
            kI2kjLYHon3Wb4mW8DEVyRgYZj4V79mQIh+TDTr0fKgcZ6rD2SaXiceweDhzcS2Oii6irGjLiqOyYp1lJFo1dVQX5I5g\
            6infqQ0jM92FKNb3d1xiiOaignErgzlFzmwBGNe7LtDpf9JkDImJpCp+TdXSyAzrSvX9ozbdYjY2Dmq5Aap9NzAJTpOJ\
            sqHAYGj3mOPiUj8vcgneZGLryiHLDAnLvjEmHD5bNWlkdPQkcXWlS8iHO8mjj+27J3iHE4e1KFiLRSrSYonNYSuMvDpI\
            n9WZ3UdvaTk/PYVv1HbFoSQTFZyeg/fjm59vR6tIFtxz8pKlMfcMM05ObEpb3eMQyQWa5QWGH4RdLHZ2sQ77kC1DEKuY\
            y7hj6SDTBAlzXWOoajKOpm4H4RiGJ3WS2qUoovum4yjneFDnvK6vyX/yxsZs31t/3D9MNZFgYx2t1sXSCzQKmytn6MIA\
            Lv1wz/EXXCSFp+n1P59J/Lij0Ml7qvj9/5j18LOzbvAgVAJwJOXmkjjqJKebm7CLm25/+CGlOMsLTL7zut8P+zNmRHsM\
            DBk8fQrNc+NhVyNzXSPDPmDM/V5pBar+3J8cnwTNCLLipq2rE/6wynESLtYiVmkuwA6FenYTeEn7zpXZCGj5IZF68aFR\
            jQIkafm+0Pf2ZI8VHbG9Qahfu0Pdr1WoHe5zyc01I2smGGN/cgz+yxRXiv0YMn1o17BRscpS5bGZYP5okWa4xnieFvDh\
            6rmRHGEf3Ht+DdUoW3yI9llTJvr1ijJKbk0BfLJ4xoQBqVh5BietBhW+w/VO4+hbq135iZdplkguPJEn3IRnigcfRton\
            dZPt5x1KfW17e9KpQUDbCtREGq2n/x2C3g6RnyBSFFHoZETPgUO0RRxlkfwk1vrNVhsyryY6TBdbkjbp9ruR28UEHh9h\
            78ZsAu2Q7A7uHh2whmmYwrzslS5rde5xuf7nr78Zrj+MVdUcZccwD6wsEdYlGc672NlI1DDxIJ+49As9IRhzijYVwvSd\
            vR0AA2CTT+XcjI5D4O7orjuhJWbSbN8nhu5Q51pPSdz6DYyqV+7nBqX9aoy/ACgSozck0L4hx90o5+VM9EpqgQ95Kjw2\
            1P1X6VOKDwmlZeNogTbRuVT7buvMA22vq35N7RKhA0s9lTXh9Y+BCi0o68At6e4JpJZvscz07zuCZhVZj8GAfuotCRX+\
            7FnVLOsdLV+APmrVtVnrp6bG9B2iMSdjOH8XXJ/9Fp39+Xs425z2zrG2C0Uma52R1alVtJG9FBp5MloTwExY/wKLDOiE\
            gA8AAA==
            """),
        PageFile(name: "jwt.js", type: "text/javascript; charset=utf-8", content: """
            H4sIAAAAAAACA2VTwU4bMRC971cMPiA7BAeqqkKk0KqCSlABh3BiiSpn400Wdu3I9pJEsD/RQz+wX9Lx7BJCK0Wxx573\
            Zub5bVJUC+sCPEPubPVNef3pIzQUAJODSnuvZtrLB8+GSWaND3B78+P8Gk5gcD/hen2Z3i/3x3viXr4PaNcTgw3q4up8\
            hKiUFSqwPjAzyeOiV4u4qDrMf4ai0mw8TPAs9pTXJguFNRDsozY86FUQ8JxAS5jb2kyRkNqReqWzNmOYQJED36F7AU6H\
            2hkwdVniTXDryNBRpH2YaxVJGPawUOvSbiJfzIxCqKZ4jP9EiByvlJGH8NodI9gFHgPRj8cdV3feRe3Vhvj4bStLbWZh\
            TveV8o8akXEY6fSiVJnmm8ztxnZ3gf35/av9MWJvsL8GMhWyOfX3fvomaZKNqNTZP5o+qbKOA1+Obq4lJnjNjV7CLWad\
            6czipJzVId8/QoHQMSqoEht1iGmEnFIGf/NRyy5eXySsF9rmXY2dE5TVTh50Fhi8vLxWxtPYq4Awd3YJsfhobYJanTtn\
            sbixAZSBDhiZuwkJP8T5/vMOespzclAfjF3StB2IPCnzUoUrteDcqEoLODndcogKqAaBZfeIacwaRxtszYRpNJCpq4l2\
            NNDONe1l4b8XpgiaKxQaz69UmEs18RSfwpE+/LAxaUq8beWoHdaOCpwpgkMPDg8ODoQM9mJ0MwquMDMuNhZhEi/v4rd0\
            R8J0PD4gOhJh26QvfXHwBSLj56gI7hGFp4XTUwbHMUI5iykTMWBblk8HvR58jUPDc+qpAzQkreMGegPgJE+/7X6vLT4W\
            caxGxNf5C5sPe6lvBAAA
            """),
        PageFile(name: "login.css", type: "text/css; charset=utf-8", content: """
            H4sIAAAAAAACA32SQU/jMBCF7/yKkRBSW8ltwiKEkisXJJCQFgmuk3iSDHVsy3YoXcR/Z9JN2S1FXCx5PP7em2evFvD7\
            /vpJ3XJNNpK60WQTN0yhgLubB1isTlYLeOwwgbNmC6kj8NgSdBhlI2WM6wiNC9NRjBsX9HK8WDm9XRrXsoU30By9wW0B\
            jaHXcrcqzYHqxM4WUDsz9LYENNxaxYn6KEXxQqGE5yGKp62qnext+nfgUWu2bQH5pRfo+8kk1+OhZmVcvS5hwzp10pxl\
            Z6X0vKqp8CvL/l4/PXLbBtYltOgLuDro6XJpa8SQivyH9g4MW1IdcduJy/OLXYmSeFXRY72zqpZZTv2oH4SjKpeS67/S\
            DVZkREBicfISLxhmSkXXpPl/TWz9kKTpMwWxIMMdgKpB8ONEFdbrNrjB6j0O6zFGAR6IePQU5uUX6PkI3U27mYa7zLIj\
            maJzL/JxrEuzQhLEypCe/6zdsEnjX6vCiLUU4yxf5vNj9J73LS4gR5Eqf87Ly91eIt+/z8UU1QfQI6TsBAMAAA==
            """),
        PageFile(name: "login.html", type: "text/html; charset=utf-8", content: """
            H4sIAAAAAAACA5VTvW7bMBDe8xQM11aWA6SAG0ieuqRIgQDx0PVEniQ2FMmSJzve+g59wz5Jj5LixCg8dOLP93N/ZHWt\
            vaJjQNHTYLdX1XVRiKfHL9+LB6PQJSzuNToyrcF4J77d70RRMCuThQXX1RKdzBcImpcBCYTqISakWo7UFpuMkiGL2wff\
            CePEn1+/xQ6CNQ6rckYWoYMBa7k3eAg+khTKO+LgtTwYTX2tcc85FdPhIzsZMmCLpMBifSPPTZS3PjLW44DvjKzpehIa\
            4nPmcwrPIqKtpWGGFH3EtpblWt8267XeIHy6bT9vdJnRVdp3UuROMXuADku++PAy2HOjREeLqUeky3aB1SuV0v8rre+M\
            +1c6eD1aDLz3oC+rEaI9rn5M4qSiCbTUM+ulSFFdjpp1VTnr2KBcJt54fRTKQkrc3UycBgHG8dL6OAij3wH9zZZeR8/7\
            q8q4ML6mQfjCtcNIXvkhWCS+GxPGPFEp9mDHTJrlXKXR/DJzH6BBKzhWLQOncfBRy+3jsqvKCT5FytmcWEvct/N5bDXG\
            yK+meMMj/hxNRD0RW6/GJCAaKDTmvjSomyPbRd9YHHK5zUjk3RImjc1gSC7foCpnkFlhzmqRvTazBWMxx/T8vCW/cf4R\
            PICQe58bm9elz84vY9n1yNYpoCIfhUPUSXyFPTxN8KoqT0wW58lNg5w+/l8wS8HTCQQAAA==
            """),
        PageFile(name: "login.js", type: "text/javascript; charset=utf-8", content: """
            H4sIAAAAAAACA4VUTW/UMBC9768YrB4SqfXCtauyEqWIQqFILSeEtN54snGb2MF2ukRp/jtjO5uWConTrufjzfOb5yxU\
            0xrrYYB7xPYz9jBCaU0DjC9R2Lrnd46tFmWnC6+MhlZYnyl5DL5vMYdhAYXRzkNpOi3hDKQpuga15zv0FzWGv+/6S0kt\
            +WoBqoTsVZZqFbUJXaApE1YOvrJmDxr3cGGtsdlGGzgalBw3odei76xOg1aLcXGYaxsaG2mx2uyUZsfw8fbL1QdKTASo\
            OxUr3XZ+rm6Fc3tj5dRwGZIvO1prthR66knnqeVlteu2jQoDAiv+q0Pb32CNhafLsG3nvdGMioXrdQGzpMT6UmcHNs80\
            Fdrt0RKc2AuCLdEXVcaWolXLw02pFhr0lZGnwL5d39yyY4oUFiXxUqJ2FHaiwRNjVeygbIVCoqXMAOzcaE+VJ7e0AUa1\
            om1rVYjAa3nniC6MoWVrZH8Kn26uv3LnrdI7VfbZAAfOMOZUNYYtJeYPou5wJp7uwQNelnNCp2tkOZy9hWwY89kXU5m5\
            h8dHeBUh+D32+WHzKYLBGmveoHNih7Bew8ZXCA7tA2mVMFDCXvmKzDNhktN858YNjfK2j6pNds+e5lByhMguFkxTma+U\
            gy05k0bELgfkSym8gGBdmt0SkRWIuib30nW9YQFqdixjwa7REkLKiwfS+0o5kh3JFckytMlkigxDOmpDHOKBtzb+vsdS\
            dLXPDnqlznwyHZfKCbJmeIPedkhFk1e5x99+2jMlA5tpS3tr9G7eUrJhfCI8ivL3qtgzlaXBIMJhs2xeYUSMDia4ZCNu\
            sa1FgdlmeTTMwUq4Kj3rSaWk2L8pb46GCPzj9c819+Z726I9Fw6zfJwy3JFrMXuTj3zzX3lKehZBn3RVFx9oUjUGSvqC\
            uXAOfv4D0NsC3x8FAAA=
            """),
    ]
}
