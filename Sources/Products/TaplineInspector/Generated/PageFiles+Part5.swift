// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/page.

extension PageFiles {
    static let part5 = [
        PageFile(name: "viewers.js", type: "text/javascript; charset=utf-8", content: """
            H4sIAAAAAAACA60a23bjtvHdXwHz+Owhd2XKm+b0pHYdN9l1spvam7TrXM6RlRgSIYm7vIWAfKml7+in9L39sc4MQBK8\
            SfK2erBJYDCYGcydGA7Z+x9e/3J4EU5FIsXh20AkKpyFIj9ml2+v9oZD9hclD6cLMf2IL68WaSqFZIv0jqmFYJMHBW/p\
            jHE2SYMHNuUJmwgmYT7x2RVABGIa8VwETD1k9BYGQp7Q4lzwQOQs5rCO8OIOPElhLme3objz2Tt4CZM54M3UErFMxDSN\
            Ycs3V5cXuC/iyfhc+Ht7YZyluWKPbLJUKk0GbMHWbJanMXP8YZDG/gfpnFRQ03SZqAGT4T+EBTdL85gr2YBdiPufgB4L\
            DkZqMM8Zl+yDTJMSAl8aaHDoKhf2fjh0qGCsRV2UIsMDFiZ4JsB6tSjm+cdl1lgRyksuP+KKjIe5BM4ALY/Pb2G1tBcL\
            KUFgsk1+vIxUmHF4LWGLkTZwlqcqnSxnJWwxoEH3hs+fg+rAmQdixh4fw+AYCYKzHLCEx6J6Q105Zq7HTr+E4w7Ees1I\
            1s+He3vTNJGKXZ3/cvXbqzc/vvsrO2WfHR39dnR0dGLm3l5+9e35exgf/hrGwNb10M2S+epDJuareThb3YlJtuK38DSJ\
            s5W8nV+/uI+j1f1hCOtXt0lw7cfhNE9lOlPXPg56B8MC+eX567dfEW6XL4MwXd2C8qbe9XB0fee/OBy/QFDNKQiJx+xR\
            M7XWyg4ciHuSmEYHghfJVABCF+eJY3zwZRaFynVOHG90ND7zAUfser5KL9I7kb/iUoB0zs6Y4zR2+zFM1Bdf5Tl/WBtL\
            7KNjtkymKgTtBAMEGbsEPWCajMc9Bj9NY8QnIkKWT67l8+mC51KoU+fMBY6BX28Y+uJeTDX9Z/7o5ZgIW6rZ4RdAHeJR\
            +YPBiL9cgN0mLIEDvRL36jVtn7u0jefb1Hh6+RpsXU0X21F0r95bbxORLY1QIkaDoSYHqdAOTvUaXy4nHHG4RwP2+dGf\
            /uh1sdok0EhlALY544pHxwC/BNsvCac9cFpbajl/0mR9nyD9MJlGS/Ce7tE2Wc14JEVdIntgtkgdeEyugHHto8G7sCwU\
            U+ARAVrqgwuKQRffCrutzJWNYv5RjPdqgkVQtGJaM2AIgWqProRWLlwnywXJBsKDlMfMQZHAgOIT9Hj3x+yIrdGXwYri\
            aMIZI4R+JJK5WrA/n1q+wSuYx80IzEhJH+gkvQcKYN8gvMV9CzFHQhlRnLIje0Gc5kizDiauA2u0j+JB4Ho11DCCzNFs\
            dRSwIZyYFLn6WkBUEW5Jly8jCLcu7Towm7+wOfEGtLulCAbI5reaRFh/EQYQJ4AODfrlKbMk1YDFmVcpBJUEVfwGx47Z\
            wSNFRPeSq4Uf83vUdVvYhxqz54HWgV/gUyVyeWOUTP9DlnmWiSRwLfpJYPrRnBDAnTQNdVTGA/o/Ho3XLE/vZC8AW7Fk\
            GUVrCM48kJazLZUQ4+AVn0TCRUQDA3jKRs47iEBwoM5PPFoKZ1zolyFv4ZbichSudwblQKWvFGUd0NFyTuN/9gy1TOEL\
            6dmAXvPiGWFAvJnr4mNhDGpBtiCnaSbIFiLETNAe/Kw9Kto0fZh2WfQRjev6O3Kvtxxh6B2wW2R7jHvX4DrwV/vkjU36\
            NqsQNZkCMogppMHrW9Q5rCkIeiioHUuRBbnEI4RN5sQ04LBj0he27sdCa/qn27iBSRnzKDKHW2zlmb26UXXw7u31AJhH\
            r2UuZbb1TSiiAI1lhg9gLlqJJXvEFPk8EjFY+brmnAnyIpTK1Ws2qP8y6tR9va6m/HpIqxk9t9Sr43CdKOw41C6VQkln\
            PKlFDFQk0qj35BH0tr7e3NsNBaZ9hOIG/J9e/xHCz5rddCCw8Es4/IYY/UKYx71GpLff26jAFRHs9PQU1B5csINqrN0e\
            qrGTLOOJyJ0+VdYoepS5wZe3XdU2p1CFIlK070ikZoBDoNctNVaP1NI2k3MBfxHlCWXxUN/9+ZCVGUQVaM0++lisfUyW\
            RStaKVXfKerz0+WevdREOMxA9jUDZb6hya7x02FJlHbsdam4RmcsJycHzdVO1iMFncHOJtStlYvPn+jaby51CQkmA6nk\
            C/YS7OfgEQtpTb+vk2adN3jrg8dej6rBoaKHZBCKowD1fMCqd9J2p3M5oNWrVc7DCFIRvbZ40yvXN1sNoCKjWNq53VmV\
            0hq9slgFz+94Xue64xaPPegLnbPQ9mE0CmdDPtmoqTvxHfxZswS4scIGFd9FbmVb+jzn2eL3yEV4OyPHd+2w9tFhpZMP\
            oJZOaR6IyLby35cCyqZT2taH2JSHoCszWG7SE8pLKEnQDpDgHV1sVkZYckjTZ9b+hZ9crUqY/eGvUM26BLqKl4ojPyso\
            6uQ0DzN6AWHOMVKurh+9ISTI4A8IXLtRLdBeluBgVZujCBLkNk/7Fk81Z1FZCfZKHCNtyzR128T5Fif+dmFNWB2UrS6j\
            7oa2RNzdSjRLTqZ10WFiKKKikjgrG2HuI8ODOy61ZsCM/I61UNfdqZTZYH1iFbe94aqzsIXYYo+7yzyqlba15AkrN4Iu\
            jYQq33rJO4nSSRUEdW9FV771gAg7ga78+PcLfwpVvxLfE+fw7mID4WvA4o4IxRhFT0FwXa83haYLsFBJCQjNtJnwA664\
            FMpHkgAKAGqaZsB2CPRb20nUc2tyXec3SZXQlXfWnXpR4KiFjBq3tIVGEMZzQsEjBQj0hOkB6zKoQo6lqlP2UgjUT5Mo\
            5V2lOpLYLIoPHvWihIPMePRzGKjFmv3nn6wx8UaE84WqImA99tXr44IMkedpvhsdDvbQJ1jBiRy76wBC9g5Mh9IgdGqb\
            9LQ7Bhp4QJs0yvFOzSW9qtOnt5P51FaqZl1PpHifqlz1ONSoW9I87tO1wolq54mQTtFodr7Rb3ajuWoNUBnvdrRFPa/y\
            L/9PLgQ15LfxUQ8Gek07Fpw3x58SCtKoKxJUJgSoO0sM+7tCp+B0Kks0NxTI/tX1tL/uD4SCvExuKv43lPQbMOsUehnH\
            PH/YgH3bDn2lJQY28m8kCJ9E83QspZfUWMLgE3DoErLEgdHBtCCPBuwPR0feBpw9U1ZBZf+oARgEpBtYU4kE++Aqnc+x\
            idbyd60GCyR2iGK6CKMgF0mRMHzJXha510nvYq1PyBymYqYXf54UHwsEPbmVCLx+VFYfc4uwN05vSLj6zS6FbUXgsPX2\
            RfiJVG4nAX/I8GAnSEqVR4+jscmCLYFhhQViAc2hBJq+XVKdhQo2zCIeJjuwqr9xoaNyt+jyJrXsPrx1z3hZj1PDiaIh\
            nHEH8NrbnGj+b4Ggs6zCJoPcnELN0iW2g6oPtD4tqi2oRXS94Nmzqt9Q44piCqFonJcOKzc/4BRzocJGPMYK116jmO6L\
            NZt6Df3W0OdiNQkUUTL6XMbVFi+iZaZCRb0kEhdVXquVfoHKjF6IzaqHcbPNtYQJeDPAqM2OUJkDoGc6b0BrWwPqej/a\
            dpeoO0T1dnm6PQhSs9V/7OK6ehtDTwmN9J0Uz2I72GI3X7apjbohnTGBdKdl2A3eCRB/o50h8Vep4LNnlnKeWRPYuRo8\
            HSml7U9aRgVLpchF1bI7knHR5vg6TSPBE8//kIaJ67B//4s53k5oulp0TwgEO0yT3W6POL0hZWMLsdaCwFrtjj9IplJd\
            pOlbUQNdoQrqUudS+RvbFbsEktFYNx+aXzy1a+qII1ZD3azH5e0IMxrbRaT+ClHcW3GtOGN8LF4POK3fouho0RGYFYzc\
            4Wj4YozZw8EqCfD/iq5BSfH7yrS9TPKBBHh2J4+W7xNdYD7DX61Exa5Eahc2Xnq6P+sVXbzmp4O7RUqhoqOWqXTCkmDZ\
            O7XjeQGH9wmoo3pqtQnbl0V0uU9ghC7DmzYuUWJt2r7g0bnuIkyEbC/es/Nqu2vbiJR4I013L086pot+bdH+RfCGrSB+\
            AvNMuM6WcmFG6pDWtCnVKYksS/Xv3n//rlGql71C2hjLmLZr1gkNmIjqquQM7rfmIl0HhL1f2ecn+d7loTJbNxzBuiXq\
            dan6pOD3cXRQ02PQ2KpNTb2Uobyd4300xz4ZW0bttA2hu5I255fLC6c3Qau4Kq4Tdlbug/Leoe3iyrtVBXv60p3F2u7k\
            E9vdDLztmLJZaPUaaetNdNa/og4XCmSHKVo1/qmnQKg6uXgP4puKXU6i4wB2lH9Fv12O3R/e3d0dYuvrcJlHut7FuwgW\
            J50dNMtlNwRGtd+h7vfUEfU0sRqofLq3Jn8OFVReZfEydLy2D6ZqxKTrbbwnNVdGMDVy9EhTTHR9s0dLjevjc9izRSpd\
            9nR0vUuPmJLR3U/nZEcFiUUQ8m4N+SHiD87upVSzO4vUDpgr86m5PARM0DWbfIrqk6g8jaS+S9jRD/8EvcqC2RMsA6G7\
            2X79zQaraH0ewDY1Na2c9/xWUAYFGDCzitL0I8M7jMp3NrJTXkleXQ/neTYdfpLHKpD0cNU9W+s1t29I9FFtbAFrR9BL\
            EyGpfVdGyCv9tqtH8eqfBRbivkIMLxXeN/RSOxLzRdpc6jB4LGH5vk/3GcFORkQzXli7H4OxjOD/QPMxtp3CvkkF2f6m\
            s6HKqHGLQxNxVpQoPafXPLH2KW07mcaB2P0UzPT/CwLZshIwMQAA
            """),
    ]
}
