"""A bot for the bot library: it says again what it is told, and has a file to give."""


class EchoHandler:
    def usage(self):
        return "Says again what it is told."

    def handle_message(self, message, bot_handler):
        if message["content"] == "a file":
            bot_handler.react(message, "speech_balloon")
            uploaded = bot_handler.upload_file_from_path(__file__)
            bot_handler.send_reply(message, "[The bot](" + uploaded["url"] + ")")
            return
        bot_handler.send_reply(message, "You said: " + message["content"])


handler_class = EchoHandler
