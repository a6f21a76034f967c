// Go's libraries as Debian has them: x/oauth2, and go-oidc for the ID token.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

var trial struct {
	School, People, Owner, Student, RedirectUri, Id, Secret string
}

func say(step string, err error) {
	line := map[string]any{"step": step, "ok": err == nil}
	if err != nil {
		line["words"] = strings.Join(strings.Fields(err.Error()), " ")
	}
	text, _ := json.Marshal(line)
	fmt.Println("STEP " + string(text))
}

func refused(step string, err error) {
	if err == nil {
		say(step, fmt.Errorf("not refused"))
		return
	}
	text, _ := json.Marshal(map[string]any{"step": step, "ok": true, "words": strings.Join(strings.Fields(err.Error()), " ")})
	fmt.Println("STEP " + string(text))
}

func callback(address string) (url.Values, error) {
	query := url.Values{"email": {trial.Student}, "url": {address}}
	answer, err := http.Get(trial.People + "/callback?" + query.Encode())
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != 200 {
		return nil, fmt.Errorf("%s", text)
	}
	parsed, err := url.Parse(string(text))
	if err != nil {
		return nil, err
	}
	if reason := parsed.Query().Get("error"); reason != "" {
		return nil, fmt.Errorf("%s: %s", reason, parsed.Query().Get("error_description"))
	}
	return parsed.Query(), nil
}

func main() {
	if err := json.Unmarshal([]byte(os.Getenv("HALLPASS_TRIAL")), &trial); err != nil {
		panic(err)
	}
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, trial.School)
	say("discovery", err)
	if err != nil {
		return
	}
	config := oauth2.Config{
		ClientID:     trial.Id,
		ClientSecret: trial.Secret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  trial.RedirectUri,
		Scopes:       []string{"openid", "profile", "email", "account:read"},
	}
	verifier := strings.Repeat("v", 50)
	hash := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(hash[:])
	signIn := func(config oauth2.Config, more ...oauth2.AuthCodeOption) (*oauth2.Token, error) {
		begin := append([]oauth2.AuthCodeOption{
			oauth2.SetAuthURLParam("code_challenge", challenge),
			oauth2.SetAuthURLParam("code_challenge_method", "S256"),
			oidc.Nonce("n1"),
		}, more...)
		query, err := callback(config.AuthCodeURL("state", begin...))
		if err != nil {
			return nil, err
		}
		exchange := append([]oauth2.AuthCodeOption{oauth2.SetAuthURLParam("code_verifier", verifier)}, more...)
		return config.Exchange(ctx, query.Get("code"), exchange...)
	}
	// region: Go's x/oauth2 and go-oidc
	// Among the options of AuthCodeURL and of Exchange.
	resource := oauth2.SetAuthURLParam("resource", trial.School)
	// endregion
	_, err = signIn(config)
	refused("untold", err)
	token, err := signIn(config, resource)
	say("signIn", err)
	if err != nil {
		return
	}
	raw, _ := token.Extra("id_token").(string)
	// region: Go's x/oauth2 and go-oidc
	checks := oidc.Config{ClientID: trial.Id, SupportedSigningAlgs: []string{"ES256"}}
	_, err = provider.Verifier(&checks).Verify(ctx, raw)
	// endregion
	say("idToken", err)
	_, err = provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	say("userInfo", err)
	refresh := func(token string) (*oauth2.Token, error) {
		return config.TokenSource(ctx, &oauth2.Token{RefreshToken: token}).Token()
	}
	fresh, err := refresh(token.RefreshToken)
	say("refresh", err)
	if err != nil {
		return
	}
	client := oauth2.NewClient(ctx, oauth2.StaticTokenSource(fresh))
	answer, err := client.Post(trial.School+"/account/graphql", "application/json", strings.NewReader(`{"query":"{ viewer { id } }"}`))
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%s", answer.Status)
	}
	say("call", err)
	answer, err = http.PostForm(trial.School+"/api/oauth/revoke", url.Values{
		"token":         {fresh.RefreshToken},
		"client_id":     {trial.Id},
		"client_secret": {trial.Secret},
	})
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("%s", answer.Status)
	}
	say("revocation", err)
	_, err = refresh(fresh.RefreshToken)
	refused("refusal", err)
}
