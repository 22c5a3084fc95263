package com.acme.planted;

/** The same few texts, read again for each order. */
class Orders {
    static final Order[][] TAKEN = new Order[300][];

    static class Order {
        final String country;
        final int number;

        Order(String country, int number) {
            this.country = country;
            this.number = number;
        }
    }

    static void take(int orders) {
        String[] countries = {"the Federal Republic of Germany", "the Kingdom of the Netherlands", "the Republic of Ireland"};
        int day = orders / TAKEN.length;
        for (int i = 0; i < TAKEN.length; i++) {
            TAKEN[i] = new Order[day];
            for (int j = 0; j < day; j++) {
                TAKEN[i][j] = new Order(new String(countries[j % 3].toCharArray()), i * day + j);
            }
        }
    }
}
