// SPDX-License-Identifier: MIT

import java.net.URI;

/** Prints the response of a URL, fetched with Java's own client. */
class JavaClient {
    public static void main(String[] words) throws Exception {
        var connection = URI.create(words[0]).toURL().openConnection();
        connection.setReadTimeout(30_000);
        System.out.print(new String(connection.getInputStream().readAllBytes()));
    }
}
