package io.weighbridge.runtime.probe;

/** Opens and closes scopes on the current thread: its tags, and the stripe that counts under them. */
public final class Scopes {
    private Scopes() {
    }

    /** Puts one more pair in force on this thread; gives what was in force before, for {@link #restore}. */
    public static int enter(String key, String value) {
        int before = Tags.current();
        restore(Tags.with(before, String.valueOf(key), String.valueOf(value)));
        return before;
    }

    /** Puts a combination in force on this thread. */
    public static void restore(int id) {
        int tags = Tags.set(id);
        if (Tags.areUsed()) {
            Stripe stripe = Stripes.of(Thread.currentThread());
            if (stripe != null) {
                stripe.tag(tags);
            }
        }
    }
}
